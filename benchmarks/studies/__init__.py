"""What the touch rests on, as studies: a seed in, figures out. For tests, benchmarks and drawings, not part of the package."""
