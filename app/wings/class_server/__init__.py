"""A class on one server: accounts, a front door, and a workbench for each account."""
