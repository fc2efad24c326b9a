"""A floating module on an arm that feels pushes (paper 002)."""
