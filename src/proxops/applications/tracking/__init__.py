"""Task-space laws of free-floating arms side by side (paper 003)."""
