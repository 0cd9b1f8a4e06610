"""Text files as tables: encoding, structure, cells, dates, and what each column means."""
