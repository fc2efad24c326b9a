"""From pixels and points to poses that flight software may trust: estimators, each of one image at a time, and who asks them."""
