"""Motions that the facility itself offers: the commands of a file or of the network, the way to their start, jog, a sine wave.

Each is imported from its own file: a console that asks for the ramp of a jog loads no trajectory generator."""
