"""A sample that arrives after training: how it is read, and how outputs become answers.

Training, Look inside, the exported page, `layerloom serve` and an exported server folder read with
these same functions. They import nothing of ours but each other: a server folder has them word for
word. All read an interface as plain data (`core.export.interface.Interface.json`).
"""
