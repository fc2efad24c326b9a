"""proxops: the open test facility for spacecraft rendezvous, docking and on-orbit servicing."""

__version__ = "0.1.0"
