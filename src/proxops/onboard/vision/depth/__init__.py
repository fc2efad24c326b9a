"""Poses from distances: time-of-flight cameras and scanning LiDARs."""
