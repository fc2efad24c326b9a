"""Mass, centre and zero of what hangs on a force sensor."""
