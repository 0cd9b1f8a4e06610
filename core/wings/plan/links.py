"""How long processes take to exchange gradients: a stated model. No torch.

Times are those of ring algorithms (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for
clusters of workstations", 2009), as the tests of NCCL count them (nccl-tests, PERFORMANCE.md):

- all-reduce of B bytes over N processes: 2 (N - 1) / N x B / bandwidth + 2 (N - 1) x latency
- all-gather of B bytes in all, or reduce-scatter: (N - 1) / N x B / bandwidth + (N - 1) x latency

A ring is as slow as its slowest link. Calculation and communication do not overlap in the model, as
they do not in a run that adds gradients in their order.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Interconnect:
    """What connects two processes. bandwidth: bytes per second, one way. latency: seconds."""

    name: str
    title: str
    bandwidth: float
    latency: float


LINKS = {
    link.name: link
    for link in (
        Interconnect("nvlink", "NVLink 4 (H100: 900 GB/s both ways)", 450e9, 5e-6),
        Interconnect("pcie", "PCIe 4.0 x16 (32 GB/s, 80 % of it used)", 25e9, 10e-6),
        Interconnect("infiniband", "InfiniBand NDR (400 Gb/s)", 50e9, 10e-6),
        Interconnect("ethernet", "10 Gb Ethernet", 1.25e9, 50e-6),
    )
}
"""By name. Bandwidths are those of data sheets; latencies are typical of one message."""
WITHIN, BETWEEN = "nvlink", "ethernet"
"""Usual links within a machine, and between machines."""


@dataclass(frozen=True)
class Ring:
    """`world` processes on a ring of links like this one."""

    world: int
    link: Interconnect

    def all_reduce_s(self, size: float) -> float:
        """Seconds to add up `size` bytes of each process."""
        return 2 * self._pass_s(size)

    def all_gather_s(self, size: float) -> float:
        """Seconds until every process has all parts of `size` bytes."""
        return self._pass_s(size)

    reduce_scatter_s = all_gather_s

    def _pass_s(self, size: float) -> float:
        others = self.world - 1
        return others / self.world * size / self.link.bandwidth + others * self.link.latency


def slowest(within: Interconnect, between: Interconnect, machines: int) -> Interconnect:
    """The link that a ring through all machines is as slow as."""
    if machines == 1:
        return within
    return min(within, between, key=lambda link: link.bandwidth)
