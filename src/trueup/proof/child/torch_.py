"""The network of the guides in PyTorch."""

import importlib
import importlib.util
import tempfile
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np
import torch
from torch import nn

DIRECTML = "privateuseone"  # the name that PyTorch gives the device of torch-directml
Progress = Callable[[int, int, float, float], None]


class Network:
    """Knows PyTorch so that the course need not. Devices are named as TensorFlow's: "/GPU:0"."""

    CPU = "/CPU:0"
    GPU = "/GPU:0"

    def __init__(self, seed: int, batch: int) -> None:
        self._batch = batch
        self._seed = seed
        self._model: Any = None
        self._optimizer: Any = None
        self._where = torch.device("cpu")
        self._gpu: Callable[[], Any] = lambda: torch.device("cuda:0")

    def versions(self) -> Dict[str, str]:
        return {"torch": torch.__version__, "numpy": np.__version__}

    def gpus(self) -> List[str]:
        """Return a line for each GPU that PyTorch itself lists."""
        if not torch.cuda.is_available():
            return []
        return [_describe(number) for number in range(torch.cuda.device_count())]

    def directml(self) -> List[str]:
        """Return a line for each card that torch-directml lists, and train on the first of them."""
        if importlib.util.find_spec("torch_directml") is None:
            return []
        directml = importlib.import_module("torch_directml")
        self._gpu = directml.device
        return [str(directml.device_name(number)) for number in range(directml.device_count())]

    def build(self) -> Dict[str, str]:
        cudnn = torch.backends.cudnn.version() if torch.version.cuda else None
        found = {
            "cuda": torch.version.cuda,
            "cudnn_version": cudnn,
            "hip": getattr(torch.version, "hip", None),
        }
        return {name: str(value) for name, value in found.items() if value}

    def prepare(self, expected: str) -> None:
        del expected
        torch.manual_seed(self._seed)

    def mnist(self) -> Any:
        from torchvision import datasets

        with tempfile.TemporaryDirectory() as folder:
            sets = [datasets.MNIST(folder, train=train, download=True) for train in (True, False)]
            return tuple(
                (s.data.numpy()[..., None].astype("float32") / 255, s.targets.numpy().astype("int64"))
                for s in sets
            )

    def build_on(self, device: str) -> None:
        self._where = torch.device("cpu") if device == self.CPU else self._gpu()
        layers = nn.Sequential(
            nn.Conv2d(1, 32, 3),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(32 * 13 * 13, 128),
            nn.ReLU(),
            nn.Linear(128, 10),  # softmax is part of the loss
        )
        self._model = layers.to(self._where)
        self._optimizer = torch.optim.Adam(self._model.parameters())

    def placement(self, train: Any, device: str) -> Dict[str, List[str]]:
        """Return where variables and gradients are. PyTorch computes where its tensors are, or fails."""
        del device
        pictures, labels = self._tensors((train[0][: self._batch], train[1][: self._batch]))
        nn.functional.cross_entropy(self._model(pictures), labels).backward()
        gradients = [parameter.grad for parameter in self._model.parameters()]
        self._optimizer.zero_grad()
        return {
            "variables": sorted({_short(p.device) for p in self._model.parameters()}),
            "results": sorted({_short(g.device) for g in gradients}),
            "kernels": [],
        }

    def epoch(self, train: Any, epoch: int, progress: Progress) -> None:
        pictures, labels = self._tensors(train)
        order = torch.randperm(len(labels)).to(self._where)
        right, seen, total = 0.0, 0, 0.0
        for step, begin in enumerate(range(0, len(labels), self._batch), 1):
            some = order[begin : begin + self._batch]
            self._optimizer.zero_grad()
            answer = self._model(pictures[some])
            loss = nn.functional.cross_entropy(answer, labels[some])
            loss.backward()
            self._optimizer.step()
            right += float((answer.argmax(1) == labels[some]).sum())
            total += float(loss) * len(some)
            seen += len(some)
            progress(epoch, step, total / seen, right / seen)

    def accuracy(self, test: Any) -> float:
        pictures, labels = self._tensors(test)
        with torch.no_grad():
            return float((self._model(pictures).argmax(1) == labels).float().mean())

    def peak_mb(self, device: str) -> Any:
        """Return the most memory that was in use on a GPU, in units of 10^6 bytes; None where nobody counts it."""
        return (
            None
            if device == self.CPU or self._where.type != "cuda"
            else round(torch.cuda.max_memory_allocated() / 1e6, 1)
        )

    def differences(self, device: str) -> Iterator[Tuple[str, float]]:
        """Yield how far one convolution and one matrix product are from the CPU's, of its largest value."""
        del device
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        random = np.random.RandomState(self._seed)
        pictures, filters = (
            random.normal(size=s).astype("float32") for s in ((32, 32, 28, 28), (64, 32, 3, 3))
        )
        left, right = (random.normal(size=(512, 512)).astype("float32") for _ in range(2))
        yield "conv2d", self._difference(nn.functional.conv2d, pictures, filters)
        yield "matmul", self._difference(torch.matmul, left, right)

    def _difference(self, compute: Callable[..., Any], *arrays: Any) -> float:
        answers = []
        for where in (self._where, torch.device("cpu")):
            tensors = [torch.from_numpy(array).to(where) for array in arrays]
            answers.append(compute(*tensors).cpu().double())
        other, cpu = answers
        return float((other - cpu).abs().max() / cpu.abs().max())

    def _tensors(self, part: Any) -> Tuple[Any, Any]:
        pictures = torch.from_numpy(np.ascontiguousarray(part[0].transpose(0, 3, 1, 2)))
        return pictures.to(self._where), torch.from_numpy(part[1]).to(self._where)


def _describe(number: int) -> str:
    major, minor = torch.cuda.get_device_capability(number)
    return "{} ({}.{})".format(torch.cuda.get_device_name(number), major, minor)


def _short(device: Any) -> str:
    """Return "GPU:0" of a device of PyTorch."""
    kind = "GPU" if device.type in ("cuda", DIRECTML) else device.type.upper()
    return "{}:{}".format(kind, device.index or 0)
