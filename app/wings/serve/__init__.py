"""`layerloom serve`: a trained network behind HTTP, on starlette and uvicorn.

What a request may hold and what an answer says is in `core.wings.serve`; here is who may ask, how
much, how long, and what is counted.
"""
