"""Wires it all: sources, tick, lockstep player, live server."""
