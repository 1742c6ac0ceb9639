"""`python -m ragauge`."""

from ragauge.cli import main

if __name__ == "__main__":
    main()
