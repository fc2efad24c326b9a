"""A mission: two craft in orbit, sensors and flight software, shown by the hall or flown in software."""
