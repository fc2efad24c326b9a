"""ORBIT: what is computed. Relative motion of two spacecraft and the frames in which a client speaks of it."""
