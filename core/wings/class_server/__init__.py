"""A class on one server: who has an account, and the workbench that each account runs."""
