# SPDX-License-Identifier: Apache-2.0
"""``python -m zeno run scene.yaml`` is the program ``zeno run scene.yaml``."""
import os
import sys

from . import program

if __name__ == "__main__":
    os.execve(program.path(), ["zeno", *sys.argv[1:]], program.environment())
