"""Pages for the operator: health now."""
