"""What the model is shown of a long conversation."""
