"""Searching settings: trials of one project that are runs like all others. Optuna chooses."""
