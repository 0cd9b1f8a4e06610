"""Functions that pages have calculated by a worker process, as `app.process.pool` calls them.

Their modules import no torch, so that a page may name them; each body imports what calculates.
"""
