"""environment.yml and pixi.toml whose CUDA and cuDNN come from conda-forge, for the lines that it keeps as one package.

TensorFlow's own guide for Windows pairs 2.10 so: `cudatoolkit=11.2 cudnn=8.1.0`, of conda-forge. From CUDA 12 on
there is no `cudatoolkit`; what builds for it ask for are wheels, which stay with pip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from packaging.version import Version

from trueup.facts.model import CudaFrom
from trueup.plan.writers import conda, pixi

if TYPE_CHECKING:
    from trueup.fit.model import Alignment
    from trueup.plan.writers.order import Order

LAST: Final = Version("11.8")  # of cudatoolkit


def specs(alignment: Alignment) -> dict[str, str]:
    """Return conda package -> version for the builds that would else take added wheels or a global toolkit."""
    for build in alignment.builds:
        added = build.cuda_from in {CudaFrom.ADDED, CudaFrom.SYSTEM}
        if added and build.cuda and Version(build.cuda) <= LAST:
            cudnn = {"cudnn": ".".join(build.cudnn.split(".")[:2])} if build.cudnn else {}
            return {"cudatoolkit": ".".join(build.cuda.split(".")[:2]), **cudnn}
    return {}


def environment(order: Order, *, alone: bool = False) -> str:
    """Return the environment.yml; without specs of conda's own it is the usual one. `alone`: see `conda.write`."""
    return conda.write(order, specs(order.alignment), alone=alone)


def workspace(order: Order) -> str:
    """Return the pixi.toml."""
    return pixi.write(order, specs(order.alignment))
