"""Requests, responses and contract of a prediction server.

`inputs`, `outputs`, `batching` and what these import know nothing else of Layerloom: an exported
server folder holds them word for word, so what is tested here is what runs there. The data set
itself is read by the same functions. All read an interface as plain data
(`core.export.interface.Interface.json`). They know no server library: `app.serving` and the
exported `serve.py` stand on starlette.
"""
