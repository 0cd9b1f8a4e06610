"""What a prediction server takes, batches and promises; `core.samples` reads and answers.

They import nothing of ours but each other and `core.samples`: an exported server folder has them
word for word, so what is tested here is what runs there. They know no server library:
`app.wings.serve` and the exported `serve.py` stand on starlette. `server` writes the exports.
"""
