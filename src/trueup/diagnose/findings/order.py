"""The causal order: a fault that makes later ones meaningless comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueup.diagnose.findings.model import Finding

ORDER = (
    # no card, no system that could use it
    *(
        "no-nvidia-on-macos",
        "windows-arm64-unsupported",
        "wsl-version-1",
        "no-card",
        "gpu-not-nvidia",
        "gpu-lost",
    ),
    *("vgpu-without-cuda", "mig-without-slices", "compute-prohibited"),
    *("wsl-linux-driver-installed", "wsl-no-gpu-device", "windows-build-without-wsl-cuda"),
    # the driver does not answer
    *("gpu-not-passed-to-container", "nouveau-owns-gpu", "kernel-driver-not-loaded"),
    *("driver-userspace-kernel-mismatch", "driver-no-permission", "driver-missing-wsl", "driver-missing"),
    *("driver-not-running", "card-not-listed", "driver-without-cuda", "libcuda-stub-loaded"),
    *("driver-too-new-for-card", "wsl-gpu-in-tcc-mode"),
    # another interpreter is asked
    *("pythonhome-set", "environment-without-python"),
    *(
        "python-32bit",
        "jupyter-kernel-other-env",
        "wrong-interpreter",
        "python-too-new-for-release",
        "python-too-old-for-release",
    ),
    # the package cannot be imported
    *("tensorflow-gpu-package-removed", "broken-or-leftover-install", "two-versions", "user-site-shadows"),
    *("defender-took-library", "script-shadows-package"),
    *("cpu-without-avx", "libc-too-old", "vc-runtime-missing", "vc-runtime-old"),
    *("numpy-2-abi", "protobuf-4-descriptors", "package-breaks-release", "directml-plugin-tf-version"),
    *("requirement-missing",),
    *("onnxruntime-cpu-and-gpu-both", "multiple-cupy-packages", "jax-plugin-version-mismatch"),
    # the build has nothing for a card
    *(
        "tf-windows-gpu-ended-at-2-10",
        "no-gpu-build-for-windows",
        "conda-cpu-build",
        "build-for-other-card",
        "cpu-only-build-installed",
    ),
    # the build has nothing for this card, the driver nothing for this build
    *("gpu-arch-too-old", "gpu-arch-newer-than-build", "driver-too-old-for-cuda", "wsl-not-ready"),
    # its libraries are missing, wrong or not found
    *("mixed-cu11-cu12-wheels", "tf-2.16-pip-nvidia-libs-not-found", "cuda-wheels-incomplete"),
    *("wheels-not-found-by-framework", "cuda-toolkit-missing"),
    *("cuda-version-mismatch", "conda-env-not-activated", "store-python-dll-search", "cuda-libs-not-on-path"),
    *("cudnn-missing", "cudnn-major-mismatch", "cudnn-shadowed-by-another-copy", "cudnn-too-old-for-build"),
    *("zlibwapi-missing", "cuda-library-missing"),
    # all is there, and something hides it
    *(
        "cuda-visible-devices-hides-gpu",
        "jax-platforms-hides-gpu",
        "visible-card-does-not-fit",
        "disk-full",
        "long-path",
    ),
    # nothing of the above, and still it does not work
    *("live-crashed", "live-failed", "live-hung", "live-none"),
)
_PLACE = {id_: number for number, id_ in enumerate(ORDER)}


def rank(finding: Finding) -> int:
    return _PLACE.get(finding.id, len(ORDER))
