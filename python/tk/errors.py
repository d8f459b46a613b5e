"""What the package raises. Wrong arguments of a kernel are Python's own TypeError and ValueError."""


class Error(RuntimeError):
    """The root of everything that is not an argument's fault."""


class CompileError(Error):
    """The program has errors. The text is what tkc says, with the lines and carets."""


class BuildError(Error):
    """Something that a build needs is not there: nvcc, a cache that can be written, tkc itself."""


class LaunchError(Error):
    """The device refused, or the kernel itself found something wrong."""

    def __init__(self, sentence, code):
        super().__init__(sentence)
        self.code = code  # as docs/launcher.md lists them
