"""Why a network says what it says: which parts of a sample move its answer, and how."""
