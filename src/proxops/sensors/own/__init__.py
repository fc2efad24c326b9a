"""Sensors that a user brings: images from a folder, the network, a camera by GenICam."""
