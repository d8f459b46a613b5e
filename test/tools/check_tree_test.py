#!/usr/bin/env python3
# Tests check_tree.py: each rule complains about the tree that breaks it, and about no other.
import os
import tempfile
import unittest

import check_tree


class CheckTree(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(text)
            return check_tree.check(root)[0]

    def test_a_good_tree(self):
        self.assertEqual(self.complaints({
            "ir/a.h": '// An a.\n#pragma once\n#include <vector>\n',
            "frontend/b.h": '// A b.\n#pragma once\n#include "ir/a.h"\n',
            "frontend/b.cpp": '// The b.\n#include "frontend/b.h"\n#include "ir/a.h"\n',
            "test/parse/c.tk": "// RUN: %tkc check %s\n",
            "test/parse/Inputs/d.tk": "// Read by c.tk.\n",
            "test/tools/run.py": "#!/usr/bin/env python3\n# Runs.\n",
        }), [])

    def test_layers(self):
        found = self.complaints({
            "ir/a.h": '// An a.\n#pragma once\n#include "frontend/b.h"\n',
            "frontend/b.h": "// A b.\n#pragma once\n",
            "runtime/tk/c.cuh": '// A c.\n#pragma once\n#include "ir/a.h"\n',
            "driver/d.cpp": '// A d.\n#include "runtime/tk/c.cuh"\n',
        })
        self.assertEqual(found, [
            "driver/d.cpp: includes runtime/tk/c.cuh: nothing stands on runtime/",
            "ir/a.h: includes frontend/b.h: frontend/ is above ir/",
            "runtime/tk/c.cuh: includes ir/a.h: runtime/ stands alone",
        ])

    def test_includes(self):
        found = self.complaints({
            "ir/a.cpp": '// An a.\n#include "ir/b.h"\n#include "ir/a.h"\n#include "c.h"\n',
            "ir/a.h": "// An a.\n#pragma once\n",
            "ir/b.h": '// A b.\n#pragma once\n#include "ir/gone.h"\n',
            "ir/p.cpp": '// A p.\n#include "antlr4-runtime.h"\n',
        })
        self.assertEqual(found, [
            'ir/a.cpp: includes "c.h": write it from the root, as "ir/..."',
            "ir/a.cpp: includes ir/b.h before its own header ir/a.h",
            "ir/b.h: includes ir/gone.h, which is not there",
            "ir/p.cpp: includes antlr4-runtime.h: only frontend/parse/parse.cpp sees the parser generator",
        ])

    def test_switches(self):
        switch = "int f(K k) {\n    switch (k) {\n        case %s: return 1;\n        default: return 2;\n    }\n}\n"
        found = self.complaints({
            "ir/a.cpp": "// An a.\n" + switch % "K::one",
            "ir/b.cpp": "// A b.\n" + switch % "'b'",
            "ir/c.cpp": "// A c.\n" + switch % "TKC_LOGIC",
        })
        self.assertEqual(found, [
            "ir/a.cpp: line 3: a `default:` over an enum; name what is left",
            "ir/c.cpp: line 3: a `default:` over an enum; name what is left",
        ])

    def test_text(self):
        found = self.complaints({
            "ir/a.cpp": "int a; \n\tint b;",
            "ir/b.h": "// A b.\n",
            "ir/c.cpp": "// A c.\n" + "int x;\n" * 600,
            "ir/d.cpp": "// Reads /ho" + "me/me/file.\n",
            "ir/e.cpp": "// An e.\n// TO" + "DO: more\n",
            "test/parse/f.tk": "// No run line.\n",
        })
        self.assertEqual(found, [
            "ir/a.cpp: line 1: blanks at the end",
            "ir/a.cpp: line 2: a tab",
            "ir/a.cpp: no newline at the end",
            "ir/a.cpp: the first line does not say what the file is for",
            "ir/b.h: no #pragma once",
            "ir/c.cpp: 601 lines: more than 600",
            "ir/d.cpp: line 1: a path of one machine",
            "ir/e.cpp: line 2: TO" + "DO left over",
            "test/parse/f.tk: a test without a RUN line (files that tests read go in a folder"
            " Inputs/)",
        ])


if __name__ == "__main__":
    unittest.main()
