#!/usr/bin/env python3
# Tests english.py: it finds a phrase in every kind of prose, over line breaks too, and none in code.
import unittest

import english


class English(unittest.TestCase):
    def found(self, name, text):
        return [(group, line, phrase) for group, prose in english.groups(name, text)
                for line, phrase, _ in english.hits(text, prose)]

    def test_pages(self):
        self.assertEqual(self.found("docs/a.md", "It is no\nnumber.\n\n    it stands\n\n```tk\n// beside\n```\n`behind`\n"),
                         [("pages", 1, "is no ")])
        self.assertEqual(self.found("docs/a.md", "There is no tile. It stands for one. It stands. <!-- lint: keep -->\n"), [])
        self.assertEqual(self.found("docs/a.md", "[here](behind.md), and `a long\nspan` beside it\n"), [("pages", 2, "beside")])

    def test_comments_and_messages(self):
        text = '// It is behind\n// the edge.\nint behind = f("it goes by the text", "beside");  // for\n// ever\n'
        self.assertEqual(self.found("ir/a.cpp", text),
                         [("comments", 1, "behind"), ("comments", 3, "for ever"), ("messages", 3, "goes by")])
        self.assertEqual(self.found("test/a.tk", "//~ ^ it stands there\n// CHECK: it stands there\n"), [])
        self.assertEqual(self.found("python/tk/a.py", "def f():\n    \"\"\"Lies beside it.\"\"\"\n"),
                         [("comments", 2, "beside")])
        self.assertEqual(self.found("python/tk/a.py", "# It stands\nraise E(\"what stands behind it\")\n"),
                         [("comments", 1, "stands"), ("messages", 2, "behind"), ("messages", 2, "stands")])


if __name__ == "__main__":
    unittest.main()
