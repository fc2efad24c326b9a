"""An unknown client: its shape and its spin, out of distances measured from all sides."""
