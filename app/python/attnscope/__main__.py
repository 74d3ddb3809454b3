"""``python -m attnscope …`` is ``attnscope …``."""

from ._program import main

if __name__ == "__main__":
    main()
