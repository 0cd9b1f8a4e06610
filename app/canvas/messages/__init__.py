"""Messages between page and canvas: each is declared here, and only here.

`python -m app.canvas.typescript` writes frontend/src/protocol.gen.ts from these files. Dataclasses
come from the canvas and are read by `message_reader`, with the limits that stand beside their
fields; TypedDicts go to it.
"""
