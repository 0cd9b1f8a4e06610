"""Files and folders: strict reading, atomic writing, the user's own folder, what is trusted."""
