#!/usr/bin/env python3
# Tests names_test.py: it reports what is gone, and nothing else.
import os
import tempfile
import unittest
from unittest import mock

import names_test


class Names(unittest.TestCase):
    def missing(self, name, text):
        """What is missing in this file, next to a few others."""
        files = {"ir/facts.h": "// Facts.\nstruct Facts { int known(); };\n", "checks/padding/sums.cpp": "// Sums.\n",
                 "test/parse/c.tk": "// RUN: %tkc check %s\n", "docs/a.md": "", name: text}
        with tempfile.TemporaryDirectory() as root, mock.patch.object(names_test, "ROOT", root):
            for path, content in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as stream:
                    stream.write(content)
            return [what for _, what in names_test.Tree().missing(name)]

    def test_files(self):
        for there in ("ir/facts.h", "padding/sums.cpp", "sums.cpp", "../ir/facts.h", "a/b.h", "FILE.cpp", "https://x.org/ir/gone.h"):
            self.assertEqual(self.missing("ir/x.cpp", f"// As in {there}.\n"), [], there)
        for gone in ("ir/gone.h", "gone.cpp", "checks/sums.cpp", "gone.h"):
            self.assertEqual(self.missing("ir/x.cpp", f"// As in {gone}.\n"), [gone])
        self.assertEqual(self.missing("ir/x.cpp", 'const char* name = "ir/gone.h";\n'), [])
        self.assertEqual(self.missing("docs/b.md", "See `ir/gone.h`, [this](gone.md), `mine.cu` and `gone.cpp`.\n"), ["ir/gone.h", "gone.cpp"])
        self.assertEqual(self.missing("docs/b.md", "```sh\ntkc ir/gone.tk\n```\n"), [])

    def test_folders(self):
        self.assertEqual(self.missing("docs/b.md", "In `ir/`, `checks/padding/`, `checks/sums/` and `mine/`.\n"), ["checks/sums/"])

    def test_functions_and_types(self):
        text = "// `Facts::known`, `known()`, `std::gone`, `gone_2`, `Facts::gone(x)`, `gone` and `Gone`.\n"
        self.assertEqual(self.missing("ir/x.cpp", text), ["Facts::gone", "gone", "Gone"])
        self.assertEqual(self.missing("docs/b.md", "`Gone`\n"), [])
        self.assertEqual(self.missing("docs/ir.md", "`Gone`\n"), ["Gone"])


if __name__ == "__main__":
    unittest.main()
