"""Making a trained network smaller: a declaration for each way, and each try measured as a row."""
