"""What every room may use: error classes, devices, memory, types of JSON, escaping, typefaces."""
