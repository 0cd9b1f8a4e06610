"""What in a data set leads to a wrong model: leaks, shared rows, order, odd cells, classes."""
