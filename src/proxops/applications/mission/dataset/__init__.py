"""Labelled images, depth images and scans, for training and testing whoever is to see with them."""
