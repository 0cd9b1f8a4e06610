"""What the result of an expression is: value, shape, strides, and whose memory it reads."""

several = isinstance(result, tuple) and len(result) > 0 and all(map(torch.is_tensor, result))
made = (result[0] if several else torch.as_tensor(result)).detach()
memory = made.untyped_storage()
known = {"x": x, "output": output, **dict(model.named_parameters()), **dict(model.named_buffers())}
place = {name: each.untyped_storage().data_ptr() for name, each in known.items()}
owners = [name for name, start in place.items() if memory.nbytes() and start == memory.data_ptr()]
owners = ", ".join(owners)

count, held, stored = made.numel(), memory.nbytes(), memory.nbytes() // made.element_size()
reached = torch.arange(stored).as_strided(made.shape, made.stride(), made.storage_offset())
distinct = len(reached.unique())

there = made.float() if made.dtype == torch.bfloat16 else made  # a type that NumPy lacks
array = there.resolve_conj().resolve_neg().numpy()
numpy_shares = "yes" if count and array.ctypes.data == made.data_ptr() else "no"

kind = type(result).__name__ + (f" of {len(result)} tensors, the first below" if several else "")
history = getattr(result, "grad_fn", None)
facts = {
    "type": kind,
    "value": " ".join(str(made).split())[:120],
    "shape": tuple(made.shape),
    "dtype": str(made.dtype).removeprefix("torch."),
    "strides": made.stride(),
    "offset in its storage": made.storage_offset(),
    "numbers in its storage": stored,
    "contiguous": "yes" if made.is_contiguous() else "no",
    "reads the memory of": owners or "no tensor of the network",
    "NumPy shares its memory": numpy_shares,
    "grad_fn": type(history).__name__ if history else "none",
}
rows = [[name, str(fact)] for name, fact in facts.items()]
table = made.abs() if made.is_complex() else made
corner = table.double().reshape(-1, made.shape[-1] if made.dim() else 1)[:8, :8]
print(*(f"{name:24} {fact}" for name, fact in rows), sep="\n")
