"""Texts with a display form: plain in a terminal, with a little color in a notebook."""
import html
import re

_WORDS = {
    "tk": r"kernel|entry|role|pipeline|grid|requires|let|var|for|in|by|if|else|not|and|or|where|produce|consume|store|load|"
          r"tma_load|tma_store|mma|import|fn|return|struct|space|instance|as|reference|test|expect|out|inout|scratch|"
          r"accumulate|persistent|dynamic|pipelined|true|false",
    "cuda": r"__global__|__device__|__launch_bounds__|template|typename|struct|const|static|inline|if|else|for|while|return|"
            r"using|namespace|extern|void|int|float|bool|unsigned|auto|constexpr",
    "explain": r"threads|shared memory|loads and stores|waits|proofs|proved|undecided|trusted|entry|role",
}
_PARTS = r"(?P<comment>//[^\n]*)|(?P<string>&quot;(?:(?!&quot;)[^\n])*&quot;)|(?P<word>\b(?:{})\b)"
_COLOURS = {"comment": "#6a737d", "string": "#22863a", "word": "#8250df"}


class Text(str):
    """A string that a notebook shows as text of a program."""

    def __new__(cls, text, language=""):
        self = super().__new__(cls, text)
        self.language = language
        return self

    def _repr_html_(self):
        escaped = html.escape(str(self))
        words = _WORDS.get(self.language)
        if words is not None:
            escaped = re.sub(_PARTS.format(words), _coloured, escaped)
        return f'<pre style="line-height:1.25; overflow-x:auto">{escaped}</pre>'

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": str(self), "text/html": self._repr_html_()}

    def _repr_pretty_(self, printer, cycle):
        printer.text(str(self))


def _coloured(match):
    return f'<span style="color:{_COLOURS[match.lastgroup]}">{match.group()}</span>'
