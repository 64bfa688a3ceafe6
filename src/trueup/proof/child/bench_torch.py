"""What is measured of PyTorch."""

import os
from functools import partial
from typing import Any, Callable, Dict, Iterator, Tuple

import numpy as np
import torch
from torch import nn

from .bench_shapes import CONV, COPY_BYTES, DISK_SIDE, MEMORY_SIZES, PRODUCTS, SIDES, TARGET, numpy_product
from .timing import NotOffered, sized

Run = Callable[[], Any]
Made = Tuple[Run, float, Dict[str, str]]


class Bench:
    """`figures()` yields a name, a unit and what makes the run; nothing is made before it is asked for."""

    def __init__(self, device: str, folder: str) -> None:
        self._gpu, self._folder = "GPU" in device, folder
        self._where = torch.device("cuda:0" if self._gpu else "cpu")
        self._kind = "gpu" if self._gpu else "cpu"

    def tf32(self) -> str:
        """Return whether this framework's own default uses TF32 for matrix products."""
        return "on" if torch.backends.cuda.matmul.allow_tf32 else "off"

    def wait(self, result: Any) -> None:
        del result
        if self._gpu:
            torch.cuda.synchronize()

    def out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, MemoryError) or "out of memory" in str(error)

    def figures(self) -> Iterator[Tuple[str, str, Callable[[], Made]]]:
        for name in PRODUCTS[self._kind]:
            yield "matmul-" + name, "flop", partial(self._product, name)
        yield "memory", "byte", self._memory
        for kind in ("forward", "backward"):
            for name in ("fp32", "fp16") if self._gpu else ("fp32",):
                yield "conv-" + kind + "-" + name, "flop", partial(self._convolution, kind, name)
        for pinned in (False, True):
            ending = "pinned" if pinned else "pageable"
            yield "copy-to-" + ending, "byte", partial(self._to_device, pinned)
            yield "copy-from-" + ending, "byte", partial(self._from_device, pinned)
        yield "pipeline-memory", "image", self._from_memory
        yield "pipeline-disk", "image", self._from_disk

    def _tf32_for(self, name: str) -> None:
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
        torch.backends.cudnn.allow_tf32 = name == "tf32"
        torch.backends.cudnn.benchmark = True

    def _product(self, name: str) -> Made:
        if name == "numpy":
            return numpy_product(self.wait)
        if self._gpu and name in ("tf32", "bf16") and torch.cuda.get_device_capability() < (8, 0):
            raise NotOffered("no-hardware")
        self._tf32_for(name)

        def make(side: int) -> Run:
            left, right = (self._random((side, side), name) for _ in range(2))
            return lambda: left @ right

        side, run = sized(SIDES[self._kind], TARGET[self._kind], make, self.wait)
        return run, 2.0 * side**3, {"side": str(side)}

    def _memory(self) -> Made:
        def make(count: int) -> Run:
            numbers = torch.ones(count, device=self._where)
            result = torch.empty_like(numbers)
            return lambda: torch.neg(numbers, out=result)

        count, run = sized(MEMORY_SIZES[self._kind], TARGET[self._kind] / 4, make, self.wait)
        return run, 8.0 * count, {"megabytes": str(round(count * 4 / 1e6))}

    def _convolution(self, kind: str, name: str) -> Made:
        self._tf32_for(name)
        side, channels, batches = CONV[self._kind]

        def make(batch: int) -> Run:
            pictures = self._random((batch, channels, side, side), name).requires_grad_()
            filters = self._random((channels, channels, 3, 3), name).requires_grad_()
            if kind == "forward":
                return lambda: nn.functional.conv2d(pictures.detach(), filters.detach(), padding=1)
            answer = nn.functional.conv2d(pictures, filters, padding=1)
            wrong = torch.ones_like(answer)
            return lambda: torch.autograd.grad(answer, (pictures, filters), wrong, retain_graph=True)

        batch, run = sized(batches, TARGET[self._kind], make, self.wait)
        work = 2.0 * batch * side**2 * 9 * channels**2 * (2 if kind == "backward" else 1)
        return run, work, {"batch": str(batch), "side": str(side), "channels": str(channels)}

    def _to_device(self, pinned: bool) -> Made:
        numbers = self._on_host(pinned)
        return partial(numbers.to, self._where), float(COPY_BYTES), _size()

    def _from_device(self, pinned: bool) -> Made:
        target = self._on_host(pinned)
        numbers = torch.ones(COPY_BYTES // 4, device=self._where)
        return partial(target.copy_, numbers), float(COPY_BYTES), _size()

    def _on_host(self, pinned: bool) -> Any:
        if not self._gpu:
            raise NotOffered("no-device")
        return torch.ones(COPY_BYTES // 4, pin_memory=pinned)

    def _from_memory(self) -> Made:
        pictures = np.random.RandomState(0).randint(0, 255, (4096, 1, 28, 28)).astype("uint8")
        return self._loaded(_Pictures(pictures), 128), 4096.0, {"side": "28", "batch": "128", "workers": "0"}

    def _from_disk(self) -> Made:
        folder = os.path.join(self._folder, "pictures")
        os.makedirs(folder, exist_ok=True)
        random = np.random.RandomState(0)
        for number in range(256):
            picture = random.randint(0, 255, (3, DISK_SIDE, DISK_SIDE)).astype("uint8")
            np.save(os.path.join(folder, str(number)), picture)
        names = [os.path.join(folder, "{}.npy".format(number)) for number in range(256)]
        detail = {"side": str(DISK_SIDE), "kind": "npy", "batch": "32", "workers": "0"}
        return self._loaded(_Files(names), 32), 256.0, detail

    def _loaded(self, pictures: Any, batch: int) -> Run:
        loader = torch.utils.data.DataLoader(pictures, batch_size=batch, shuffle=True)

        def run() -> None:
            for _ in loader:
                pass

        return run

    def _random(self, shape: Tuple[int, ...], name: str) -> Any:
        kinds = {"fp16": torch.float16, "bf16": torch.bfloat16}
        return torch.randn(shape, device=self._where).to(kinds.get(name, torch.float32))


def _size() -> Dict[str, str]:
    return {"megabytes": str(round(COPY_BYTES / 1e6))}


class _Pictures(torch.utils.data.Dataset):  # type: ignore[misc]
    def __init__(self, pictures: Any) -> None:
        self._pictures = pictures

    def __len__(self) -> int:
        return len(self._pictures)

    def __getitem__(self, number: int) -> Any:
        return torch.from_numpy(self._pictures[number]).float() / 255


class _Files(torch.utils.data.Dataset):  # type: ignore[misc]
    def __init__(self, names: Any) -> None:
        self._names = names

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, number: int) -> Any:
        return torch.from_numpy(np.load(self._names[number])).float() / 255
