"""Every hook around a block, in the order in which they are called in one step."""

layer, events = model.get_submodule(BLOCK), []
weight = next(layer.parameters())
node = torch.autograd.graph.get_gradient_edge(weight).node  # AccumulateGrad of this weight
for part in model.modules():
    part.inplace = False  # where a module has hooks, nothing may write into its output


def noted(name):
    """A hook that notes its call, and changes nothing."""

    def hook(*given):
        flat = [each for one in given for each in (one if isinstance(one, tuple) else (one,))]
        tensors = [each.grad if each is weight else each for each in flat if torch.is_tensor(each)]
        length = "" if "forward" in name else f"{tensors[-1].norm():.3g}" if tensors else "none"
        there = "no" if weight.grad is None else "yes"
        events.append([str(len(events) + 1), name, length, there])

    return hook


def hook_output(_layer, _inputs, output):
    """A forward hook that puts hooks on the block's output and on the node that made it."""
    tensor = output[0] if isinstance(output, tuple) else output
    tensor.register_hook(noted("tensor hook of the output"))
    tensor.grad_fn.register_prehook(noted("node pre-hook of the output"))
    tensor.grad_fn.register_hook(noted("node hook of the output"))


layer.register_forward_pre_hook(noted("forward pre-hook of the module"))
layer.register_forward_hook(noted("forward hook of the module"))
layer.register_forward_hook(hook_output)
layer.register_full_backward_pre_hook(noted("full backward pre-hook of the module"))
layer.register_full_backward_hook(noted("full backward hook of the module"))
weight.register_hook(noted("tensor hook of the weight"))
node.register_prehook(noted("pre-hook of AccumulateGrad"))
node.register_hook(noted("hook of AccumulateGrad"))
weight.register_post_accumulate_grad_hook(noted("post_accumulate_grad hook of the weight"))
loss_function(model(x), y).backward()

rows, calls = events, len(events)
backward = [row for row in rows if "forward" not in row[1]]
early = sum(row[3] == "no" for row in backward)
finished = next((row[1] for row in backward if row[3] == "yes"), "")
first, last = backward[0][1], backward[-1][1]
print(*(f"{n:>3} {name:40} {length:10} {there}" for n, name, length, there in rows), sep="\n")
