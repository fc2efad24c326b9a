"""Docking: two robots of the hall bring a computed contact together."""
