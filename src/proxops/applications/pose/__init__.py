"""Recorded images, depth images and scans, looked through by the estimators that fly, or by a user's own."""
