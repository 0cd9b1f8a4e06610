"""Where a network knows what it knows: what the values of its blocks tell of the classes."""
