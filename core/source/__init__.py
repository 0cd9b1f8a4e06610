"""The source of model, training script and notebook: checked text, no torch."""
