"""The console: the hall in the browser, served by a process of its own that the tick never notices."""
