"""The first pose from a picture, with no prior: views of the client in its light, laid over what is bright."""
