#!/usr/bin/env python3
# Tests compile_alone.py, with scripts in place of compilers.
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

import compile_alone

# Refuses a file, its last argument, with a word in it, as a compiler would.
COMPILER = """#!/bin/sh
for file; do :; done
grep -q undeclared "$file" && { echo "$file:1:1: error: undeclared" >&2; exit 1; }
exit 0
"""


class Alone(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = os.path.realpath(scratch.name)
        patch = mock.patch.object(compile_alone, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        for name, text in (("c++", COMPILER), ("build/tkc", ""), ("ir/good.cpp", "int x;\n"), ("ir/good.h", "int x;\n"),
                           ("ir/bad.cpp", "int x = undeclared;\n"), ("ir/README.md", "# Text\n")):
            self.write(name, text)
        self.use(os.path.join(self.root, "c++"))

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(path, 0o755)

    def use(self, compiler):
        """Makes this the compiler of the build."""
        source = os.path.join(self.root, "ir/good.cpp")
        entry = {"directory": self.root, "command": f"{compiler} -O2 -o good.o -c {source}", "file": source}
        self.write("build/compile_commands.json", json.dumps([entry]))

    def run_tool(self, *words):
        """(status, what it prints); of files, what lies below the root is named from there."""
        out, words = io.StringIO(), [os.path.join(self.root, word) if word.startswith("ir/") else word for word in words]
        argv = ["compile_alone.py", "--build", os.path.join(self.root, "build"), *words]
        with mock.patch.object(sys, "argv", argv), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                status = compile_alone.main()
            except SystemExit as end:
                status = 1 if isinstance(end.code, str) else end.code
                print(end.code)
        return status, out.getvalue()

    def test_sources_and_headers(self):
        self.assertEqual(self.run_tool("ir/good.cpp", "ir/good.h", "ir/good.h"), (0, "2 files compiled alone, 0 faults\n"))
        status, text = self.run_tool("ir/good.cpp", "ir/bad.cpp")
        self.assertEqual(status, 1)
        self.assertIn("ir/bad.cpp does not compile alone; it lacks an include:\n", text)
        self.assertIn("2 files compiled alone, 1 faults\n", text)

    def test_what_is_no_source(self):
        for name, reason in (("ir/README.md", "README.md is neither a C++ source nor a header: name a .cpp or a .h"),
                             ("ir/none.cpp", "there is no file "), (__file__, "is neither a C++ source nor a header")):
            status, text = self.run_tool(name)
            self.assertEqual(status, 1)
            self.assertIn(reason, text)
        with tempfile.NamedTemporaryFile(suffix=".cpp") as other:
            self.assertIn(f"is not below {self.root}: name a source of this checkout", self.run_tool(other.name)[1])

    def test_what_is_no_compiler(self):
        """Not one that accepts everything, that refuses everything without a word, or that is not there."""
        for compiler, reason in (("/bin/true", "/bin/true accepts a file with an error, so it is no C++ compiler"),
                                 ("/bin/false", "it lacks an include:\n/bin/false ended with status 1\n"),
                                 ("/nothing", "/nothing cannot be run: No such file or directory.")):
            self.use(compiler)
            status, text = self.run_tool("ir/good.cpp")
            self.assertEqual(status, 1)
            self.assertIn(reason, text)

    def test_numbers(self):
        for words in (["--jobs", "0"], ["--changed", "-1"]):
            status, text = self.run_tool(*words)
            self.assertEqual(status, 2)
            self.assertIn(" ".join(words) + ": write", text)

    def test_compile_commands_that_cannot_be_read(self):
        path = os.path.join(self.root, "build/compile_commands.json")
        for text, reason in (("{", "it is no list of compile commands"), ("[7]", "it is no list of compile commands"),
                             ('[{"file": "x"}]', "it is no list of compile commands"), ("{}", "it names no source below"),
                             ("[]", f"it names no source below {self.root}")):
            self.write("build/compile_commands.json", text)
            status, said = self.run_tool("ir/good.cpp")
            self.assertEqual(status, 1)
            self.assertIn(f"{path}: {reason}", said)
            self.assertIn(f"`cmake -S {self.root} -B {self.root}/build` writes it", said)
        os.remove(path)
        self.assertIn(f"{path}: No such file or directory.", self.run_tool("ir/good.cpp")[1])

    def test_no_repository(self):
        self.assertIn("git does not name the sources, so name them on the command line: ", self.run_tool()[1])


if __name__ == "__main__":
    unittest.main()
