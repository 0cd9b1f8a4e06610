"""What a server counts, as Prometheus reads it (text format 0.0.4)."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MEDIA = "text/plain; version=0.0.4; charset=utf-8"


@dataclass
class Histogram:
    """How often a value was at most each bound."""

    bounds: Sequence[float]
    total: float = 0.0
    counts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, words: str) -> list[str]:
        """Its lines; each bound counts those below it too."""
        lines, sum_ = [f"# HELP {name} {words}", f"# TYPE {name} histogram"], 0
        for bound, count in zip(
            (*map("{:g}".format, self.bounds), "+Inf"), self.counts, strict=True
        ):
            sum_ += count
            lines.append(f'{name}_bucket{{le="{bound}"}} {sum_}')
        return [*lines, f"{name}_sum {self.total:g}", f"{name}_count {sum_}"]


class Metrics:
    """Requests by path and status, samples, seconds of predictions, sizes of batches."""

    def __init__(self, run: str) -> None:
        self.run, self.samples = run, 0
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds, self.sizes = Histogram(SECONDS), Histogram(SIZES)
        self.waiting: Callable[[], int] = lambda: 0

    def text(self) -> str:
        """All of them."""
        run = self.run.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        requests = [
            f'layerloom_requests_total{{path="{path}",status="{status}"}} {count}'
            for (path, status), count in sorted(self.requests.items())
        ]
        lines = [
            *_head("layerloom_model_info", "gauge", "The weights that are served."),
            f'layerloom_model_info{{run="{run}"}} 1',
            *_head("layerloom_requests_total", "counter", "Requests by path and status."),
            *requests,
            *_head("layerloom_samples_total", "counter", "Samples predicted."),
            f"layerloom_samples_total {self.samples}",
            *_head("layerloom_waiting_samples", "gauge", "Samples waiting for a batch."),
            f"layerloom_waiting_samples {self.waiting()}",
            *self.seconds.lines("layerloom_predict_seconds", "Seconds per prediction."),
            *self.sizes.lines("layerloom_batch_size", "Samples per batch."),
        ]
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, words: str) -> list[str]:
    return [f"# HELP {name} {words}", f"# TYPE {name} {kind}"]
