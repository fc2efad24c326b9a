"""A mission's image processing: who carries images to the estimators, in processes of their own, and poses back."""
