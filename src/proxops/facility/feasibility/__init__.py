"""``proxops check``: can the hall show a motion? Answered before anything moves, with what would have to change."""
