"""From truth to radiance: what falls into each pixel of a camera, and how far a time-of-flight camera sees. No noise here."""
