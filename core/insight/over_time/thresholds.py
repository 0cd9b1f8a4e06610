"""Thresholds of the marks of health, each with its reason. Their only source.

All were held against the templates, trained, of which none may be marked, and against sick networks
(tests/core/insight/over_time/sick_networks.py) on 27 November 2026.
"""

SIGMOID_FLAT, TANH_FLAT, SOFTMAX_SURE = 0.987, 0.975, 0.9999
"""Where the derivative is below a twentieth of its largest: sigmoid' = s (1 - s) < 0.05 / 4, and
tanh' = 1 - t^2 < 0.05. Glorot and Bengio (2010) see deep networks stop there. A softmax this sure
lets through less than 1e-4 of a gradient."""

DEAD, LEAST_UNITS = 0.5, 16
"""Share of units that are 0 for every sample. Lu et al. (2019, Dying ReLU and initialization); some
are dead in networks that learn well, at a high rate as many as 40 % (Karpathy, CS231n). Where there
are fewer units than that, chance decides."""

SATURATED, SURE = 0.7, 0.95
"""Share of values in the flat part, of a hidden activation: Glorot and Bengio (2010); of a softmax
more, as attention that looks at one place may be right."""

SAME = 1e-3
"""Share of a block's values that changes from sample to sample: below, all samples look the same,
and what comes after cannot tell them apart (Schoenholz et al., 2017, Deep information propagation:
correlations of inputs go to 1 with depth)."""

WIDE = 1e4
"""Standard deviation of a block's values, of inputs near 1: He et al. (2015) keep it near 1."""

VANISHING = 1e-4
"""A block's gradient per weight, as a share of the block's with the largest: it learns 10 000 times
slower (Bengio et al., 1994; Glorot and Bengio, 2010)."""

EXPLODING = 100.0
"""A block's gradient, as a multiple of its weights: Pascanu et al. (2013) clip long before."""

UPDATE = 0.2
"""One step's update as a share of the weights. About 1e-3 is usual (Karpathy, CS231n)."""
