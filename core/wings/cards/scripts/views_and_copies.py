"""Operations that share memory with their input, and operations that copy it."""

ways = {
    "x[0]": x[0],
    "x[1:3]": x[1:3],
    "x.flatten(1)": x.flatten(1),
    "x.transpose(0, 1)": x.transpose(0, 1),
    "x.transpose(0, 1).reshape(-1)": x.transpose(0, 1).reshape(-1),
    "x.unsqueeze(0).expand(3, ...)": x.unsqueeze(0).expand(3, *x.shape),
    "x[[0, 1]]": x[[0, 1]],
    "x.clone()": x.clone(),
    "x + 0": x + 0,
    "x.to(torch.float64)": x.to(torch.float64),
}
memory = x.untyped_storage().data_ptr()
rows, views = [], 0
for code, tensor in ways.items():
    shared = tensor.untyped_storage().data_ptr() == memory
    views += shared
    rows.append(
        [code, str(tuple(tensor.shape)), str(tensor.stride()), "view" if shared else "copy"]
    )

before = x[0].sum().item()
x.flatten(1)[0] += 1  # a view: this writes into x
moved = x[0].sum().item() - before
print(f"{views} of {len(ways)} are views")
print(f"adding 1 to each value of a view changed the sum of x[0] by {moved:g}")
