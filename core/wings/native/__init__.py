"""Networks compiled for a machine, a phone or a C++ program."""
