"""Figures as plain data (a sheet of panels with what is drawn on them), and the two hands that draw them: SVG and Matplotlib."""
