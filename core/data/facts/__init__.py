"""What is known of a data set before it is read as tensors: sizes, columns, classes, targets."""
