"""A scripted client of the bridge: the hall shows a motion that a scenario spells out."""
