"""All cards, in the order that people see them, by topic. Imports no torch."""

from core.wings.cards.autograd import (
    accumulate,
    activation_checkpoints,
    conv_bn_function,
    detach,
    engine_queue,
    gradcheck_of_a_block,
    gradient_hooks,
    graph_of_a_step,
    hook_order,
    hooks,
    one_neuron,
    own_function,
)
from core.wings.cards.card import Card
from core.wings.cards.derivatives import (
    curvature,
    ensemble,
    forward_mode,
    functional_call,
    jacobian,
    per_sample_gradients,
)
from core.wings.cards.graphs import (
    aotinductor,
    conv_bn_fusion,
    export_graph,
    fx_interpreter,
    fx_table,
    graph_breaks,
    inductor_kernels,
)
from core.wings.cards.operators import (
    cond,
    custom_operator,
    dispatcher_table,
    fork_wait,
    operator_kernels,
)
from core.wings.cards.ranks import (
    distributed_sampler,
    gradient_buckets,
    pipeline_parallel,
    ring_all_reduce,
    tensor_parallel,
)
from core.wings.cards.speed import (
    jagged_texts,
    layout_precision_threads,
    loader_workers,
    mixed_precision,
    sdpa_backends,
    two_traces,
)
from core.wings.cards.tensors import (
    broadcasting,
    leaves,
    shapes_and_strides,
    tensor_bench,
    views_and_copies,
)
from core.wings.cards.training import (
    checkpoint_by_hand,
    gradient_clipping,
    iterable_workers,
    loop_by_hand,
    lr_schedules,
    samplers,
    saving_forms,
    tensorboard_of_it,
)
from core.wings.cards.weights import (
    custom_parametrization,
    custom_pruning,
    distillation,
    initialisation,
    lora,
    module_tree,
    pruning_masks,
    quantisation_steps,
    spectral_norm,
)

CARDS: dict[str, Card] = {
    module.CARD.name: module.CARD
    for module in (
        shapes_and_strides,
        views_and_copies,
        broadcasting,
        leaves,
        tensor_bench,
        graph_of_a_step,
        one_neuron,
        hooks,
        hook_order,
        gradient_hooks,
        own_function,
        gradcheck_of_a_block,
        conv_bn_function,
        engine_queue,
        accumulate,
        detach,
        activation_checkpoints,
        jacobian,
        curvature,
        forward_mode,
        per_sample_gradients,
        ensemble,
        functional_call,
        module_tree,
        initialisation,
        pruning_masks,
        custom_pruning,
        quantisation_steps,
        lora,
        distillation,
        spectral_norm,
        custom_parametrization,
        fx_table,
        fx_interpreter,
        conv_bn_fusion,
        graph_breaks,
        export_graph,
        inductor_kernels,
        aotinductor,
        dispatcher_table,
        custom_operator,
        operator_kernels,
        cond,
        fork_wait,
        layout_precision_threads,
        mixed_precision,
        sdpa_backends,
        loader_workers,
        jagged_texts,
        two_traces,
        loop_by_hand,
        checkpoint_by_hand,
        saving_forms,
        iterable_workers,
        gradient_clipping,
        lr_schedules,
        samplers,
        tensorboard_of_it,
        distributed_sampler,
        gradient_buckets,
        ring_all_reduce,
        tensor_parallel,
        pipeline_parallel,
    )
}
TOPICS: dict[str, tuple[Card, ...]] = {
    topic: tuple(card for card in CARDS.values() if card.topic == topic)
    for topic in dict.fromkeys(card.topic for card in CARDS.values())
}
