"""`python -m trueup` and the `trueup` command."""

import sys


def main() -> None:
    try:
        from trueup.cli.main import run  # noqa: PLC0415  # nothing is imported before it is needed
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
