"""Truth to measurements: what instruments make of what there is."""
