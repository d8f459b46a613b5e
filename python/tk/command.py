"""The command `tkc` of the wheel: the compiler itself."""
import os
import sys

from . import compiler
from .errors import BuildError


def main():
    # tkc does not know which Python this is, so it is given this one's nvcc, if no other comes before it.
    nvcc = compiler.find_nvcc()
    if nvcc is not None and nvcc == compiler.environment_nvcc():
        os.environ["TKC_NVCC"] = nvcc
    try:
        os.execv(compiler.tkc(), ["tkc", *sys.argv[1:]])
    except (BuildError, OSError) as error:
        sys.exit(f"tkc: {error}")
