"""What a user runs: a folder for each kind of run with its tables, its program, its result and its figures. None sees another."""
