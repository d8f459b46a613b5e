"""The command `tkc` of the wheel: the compiler itself."""
import os
import sys

from . import compiler
from .errors import BuildError


def main():
    try:
        os.execv(compiler.tkc(), ["tkc", *sys.argv[1:]])
    except BuildError as error:
        sys.exit(f"tkc: {error}")
