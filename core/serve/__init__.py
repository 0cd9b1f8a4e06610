"""Requests, responses and contract of a prediction server.

`inputs`, `outputs` and `batching` import nothing of Layerloom: an exported server folder holds them
word for word, so what is tested here is what runs there. All read an interface as plain data
(`core.export.interface.Interface.json`). They know no server library: `app.serving` and the
exported `serve.py` stand on starlette.
"""
