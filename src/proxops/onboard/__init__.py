"""FLIGHT SOFTWARE: navigation, guidance, control. Sees measurements, never truth."""
