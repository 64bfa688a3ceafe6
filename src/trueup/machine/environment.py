"""Which environment variables may leave the process: those that change what a framework finds, no others."""

from __future__ import annotations

# where things are; needed to read a recording again
PLACES = frozenset(
    {
        *(
            "PATH",
            "PATHEXT",
            "HOME",
            "USERPROFILE",
            "SYSTEMROOT",
            "PROGRAMFILES",
            "PROGRAMDATA",
            "LOCALAPPDATA",
        ),
        *(
            "APPDATA",
            "XDG_DATA_HOME",
            "UV_PYTHON_INSTALL_DIR",
            "PYENV_ROOT",
            "PYENV",
            "SHELL",
            "PSMODULEPATH",
        ),
        *("PROMPT", "TEMP", "TMPDIR", "WSL_DISTRO_NAME", "PROCESSOR_ARCHITECTURE", "JUPYTER_PATH", "LANG"),
    }
)
_NAMES = frozenset(
    {
        *("LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH", "PYTHONHOME", "PYTHONNOUSERSITE", "PYTHONUSERBASE"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"),
        *("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"),  # a scheduler's job has the cards that it was given
        *(
            "CUDNN_PATH",
            "CUDNN_HOME",
            "JAX_PLATFORMS",
            "JAX_PLATFORM_NAME",
            "KERAS_BACKEND",
            "DML_VISIBLE_DEVICES",
        ),
    }
)
# not all of TF_: those of another tool with the same prefix hold passwords
_PREFIXES = (
    *("CUDA_", "NVIDIA_", "XLA_", "TF_CPP_", "TF_FORCE_", "TF_GPU_", "TF_ENABLE_", "TF_XLA_", "TF_USE_"),
    *("TF_CUDNN_", "TF_CUDA_", "TF_DETERMINISTIC", "TF_DISABLE_", "TF_DIRECTML_", "TF_NUM_", "PYTORCH_CUDA_"),
)


def matters(name: str) -> bool:
    """Tell whether a variable changes what a framework finds."""
    upper = name.upper()
    secret = any(word in upper for word in ("KEY", "TOKEN", "SECRET", "PASSW"))
    return not secret and (upper in _NAMES or upper.startswith(_PREFIXES))


def kept(name: str) -> bool:
    """Tell whether a recording keeps the variable; it is meant to be handed to strangers."""
    return matters(name) or name.upper() in PLACES
