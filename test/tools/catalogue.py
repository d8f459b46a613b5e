# The catalogue of messages, as the tools of the tests read it.
import os
import re

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TABLES = os.path.join(ROOT, "language", "diagnostics")
PAGES = os.path.join(ROOT, "language", "messages")
ROW = re.compile(r"^TK_(ERROR|WARNING|NOTE)\((\d+), (\w+),", re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def messages():
    """The names of all messages by code (`TK1001`), in the order of the codes."""
    found = {}
    for table in os.listdir(TABLES):
        for _, code, name in ROW.findall(read(os.path.join(TABLES, table))):
            found[f"TK{int(code):04}"] = name
    return dict(sorted(found.items()))
