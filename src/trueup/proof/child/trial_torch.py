"""One trial of a batch in PyTorch."""

from typing import Any, Dict

import torch
from torch import nn


class Trial:
    """`build`, then `step` as often as wanted. The loss has no meaning: memory and speed do not depend on it."""

    def __init__(self, expected: str, options: Dict[str, Any]) -> None:
        self._options = options
        self._where = torch.device("cpu" if expected == "cpu" else "cuda:0")
        self._kind = None if not options["mixed"] else torch.bfloat16 if expected == "cpu" else torch.float16

    def out_of_memory(self, error: BaseException) -> bool:
        words = str(error)
        return isinstance(error, MemoryError) or "out of memory" in words or "can't allocate memory" in words

    def build(self, make: Any) -> None:
        side = self._options["side"]
        made = make(side) if make else _network(side)
        module, shape = made if isinstance(made, tuple) else (made, (3, side, side))
        self._module = module.to(self._where)
        self._optimizer = torch.optim.Adam(self._module.parameters())
        size = max(1, self._options["batch"] // self._options["accumulate"])
        self._pictures = torch.randn((size, *shape), device=self._where)

    def step(self) -> None:
        self._optimizer.zero_grad()
        for _ in range(self._options["accumulate"]):
            with torch.autocast(self._where.type, dtype=self._kind, enabled=self._kind is not None):
                answer = self._module(self._pictures)
            answer.float().square().mean().backward()
        self._optimizer.step()
        if self._where.type == "cuda":
            torch.cuda.synchronize()

    def peak_mb(self) -> Any:
        return round(torch.cuda.max_memory_allocated() / 1e6, 1)

    def detail(self) -> Dict[str, str]:
        return {"policy": str(self._kind or torch.float32).replace("torch.", "")}


def _network(side: int) -> Any:
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(32, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64 * (side // 4) ** 2, 128),
        nn.ReLU(),
        nn.Linear(128, 10),
    )
