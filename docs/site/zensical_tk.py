#!/usr/bin/env python3
# Zensical that knows how to color tkc's language: zensical_tk.py build --strict. docs/build-site calls it.
import sys

from pygments import lexers, token
from pygments.lexer import RegexLexer, words

DECLARATIONS = ("as", "counter", "entry", "expect", "extern", "fn", "from", "grid", "import", "instance", "kernel",
                "let", "pipeline", "reference", "requires", "role", "schedule", "scratch", "shared", "space", "struct", "test",
                "trusts", "var")
STATEMENTS = ("accumulate", "and", "by", "const", "consume", "else", "for", "if", "in", "inout", "norm", "not", "or",
              "out", "persistent", "pingpong", "pipelined", "produce", "return", "reversed", "step", "within")
TYPES = ("bf16", "bool", "dtype", "f16", "f32", "f64", "fp8_e4m3", "fp8_e5m2", "i16", "i32", "i64", "i8", "int", "tf32",
         "u32", "u8")


class TkLexer(RegexLexer):
    """Colors only. `//` is a quotient after an operand and one space, as `tkc fmt` writes it, and begins a comment
    elsewhere."""

    name, aliases = "tk", ("tk",)
    tokens = {"root": [
        (r"(?<=[\w)\]] )//(?= )", token.Operator),
        (r"//.*", token.Comment.Single),
        (r'"[^"\n]*"', token.String),
        (words(DECLARATIONS, r"\b", r"\b"), token.Keyword.Declaration),
        (words(STATEMENTS, r"\b", r"\b"), token.Keyword),
        (words(TYPES, r"\b", r"\b"), token.Keyword.Type),
        (r"\b(true|false|inf|nan)\b", token.Keyword.Constant),
        (r"\d+\.?\d*(e-?\d+)?(?!\.)", token.Number),
        (r"\d+", token.Number),
        (r"[A-Za-z_]\w*(?=\()", token.Name.Function),
        (r"[A-Za-z_]\w*", token.Name),
        (r"[-+*/%=<>!&|^~@.:?]+", token.Operator),
        (r"[(){}\[\],;]", token.Punctuation),
        (r"\s+", token.Whitespace),
    ]}


def main():
    lexers.LEXERS["TkLexer"] = (__name__, TkLexer.name, TkLexer.aliases, ("*.tk",), ())
    lexers._lexer_cache[TkLexer.name] = TkLexer  # where Pygments looks before it imports a module
    from zensical.main import cli  # after the language is known
    sys.exit(cli())


if __name__ == "__main__":
    main()
