"""A data set as tensors: read, scaled, split, and put into batches. Needs torch."""
