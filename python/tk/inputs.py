"""The files that a program is made from: what tkc reads and what nvcc includes.

A file that is not there is an input, too: once there is one, an import or an `#include` may mean that one instead. So all
places where a name could have been found count, with the hash of the file there, or with None.
"""
import itertools
import os
import re

from . import cache, compiler

# What C++ reads as one piece, before it looks for directives. Each is read once from its first character on, and a quote that
# has no other one in its line takes the rest of the line, as in gcc: `#error don't /* this is no comment`.
_PIECE = re.compile(r"""
    (?P<comment> //[^\n]* | /\*.*?(?:\*/|\Z) )
  | (?P<raw> (?:u8|[uUL])?R"(?P<end>[^()\\\s"]{0,16})\( )
  | [A-Za-z_]\w* | \.?\d(?:'?\w|[.])*
  | "(?:[^"\\\n]|\\[^\n])*(?:"|\\?$) | '(?:[^'\\\n]|\\[^\n])*(?:'|\\?$)
    """, re.VERBOSE | re.DOTALL | re.MULTILINE)
_SPLICE = re.compile(r"(?:\\|\?\?/)[ \t\f\v]*\r?\n")
# Directives that include something, also in parts that the preprocessor leaves out: that costs a needless check.
_BLANK = r"[ \t\f\v]*"
_DIRECTIVE = re.compile(rf"^{_BLANK}((?:\#|%:|\?\?=){_BLANK}(include_next|include|import|embed)\b{_BLANK}([^\n]*))", re.MULTILINE)
_ASKED = re.compile(rf"\b(?:__has_include|__has_include_next|__has_embed){_BLANK}\({_BLANK}([^\n]*)")
_NAMED = re.compile(r'"([^"\n]+)"|<([^>\n]+)>')
_ASSEMBLER = re.compile(r"\.inc(?:bin|lude)\b[ \t]*\\*[\"']")  # directives that read files, in a string


read = cache.content_of  # what cannot be read is to tkc as if it were not there


def hash_of(content):
    """What a manifest keeps of a file."""
    return None if content is None else cache.digest(content)


class Snapshot:
    """Files as they were when they were read."""

    def __init__(self, paths=()):
        self.hashes = {}
        self._versions = {}
        for path in paths:
            self.read(path)

    def read(self, path):
        version = _version(path)
        content = read(path)
        if path not in self.hashes:  # if it is another one by now, `holds` finds that
            self.hashes[path], self._versions[path] = hash_of(content), version
        return content

    def holds(self):
        """Whether nothing was written since. A file that was changed and changed back was written, too."""
        return all(_version(path) == version for path, version in self._versions.items()) and \
            all(hash_of(read(path)) == hashed for path, hashed in self.hashes.items())


def _version(path):
    try:
        s = os.stat(path)
    except OSError:
        return None
    return s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns


def imports(program, files):
    """All places where the imports of a program are searched for, if tkc read these files: first the program's own.

    tkc looks next to the importing file, then in the include folders. What was found as `FOLDER/a/b.tk`, with any of these
    folders, may have been searched for as `a/b.tk` in every other one.
    """
    own, *others = (os.path.join(program.folder, path) for path in files)
    folders = dict.fromkeys(os.path.dirname(path) for path in [own, *others])
    folders.update(dict.fromkeys(program.include))
    places = {}
    for path in others:
        for folder in folders:
            prefix = os.path.join(folder, "")
            if path.startswith(prefix):
                places.update(dict.fromkeys(os.path.join(other, path[len(prefix):]) for other in folders))
    return [place for place in places if place != own]


def _without_comments(text):
    """The text with each comment as one space, and without raw strings; and the part that cannot be read so, or ""."""
    text = _SPLICE.sub("", text)
    parts, done, unread = [], 0, ""
    found = _PIECE.search(text)
    while found is not None:
        end = found.end()
        if found["comment"] is not None or found["raw"] is not None:
            parts += [text[done:found.start()], " "]
            if found["raw"] is not None:
                closing = f"){found['end']}\""
                end = text.find(closing, end)
                if end < 0:  # in a part that the preprocessor leaves out, perhaps
                    end = len(text)
                    unread = text[found.start():].partition("\n")[0]
                else:
                    if _ASSEMBLER.search(text, found.end(), end):
                        unread = text[found.start():end].partition("\n")[0]
                    end += len(closing)
            done = end
        found = _PIECE.search(text, end)
    return "".join([*parts, text[done:]]), unread


def included(text):
    """The names of files that a C++ text includes or asks for; and a piece of it that includes what only nvcc can tell, or ""."""
    text, computed = _without_comments(text)
    names = []
    uses = [(m[1], m[2] != "embed", m[3]) for m in _DIRECTIVE.finditer(text)]
    uses += [(m[0], not m[0].startswith("__has_embed"), m[1]) for m in _ASKED.finditer(text)]
    for whole, of_text, rest in uses:
        named = _NAMED.match(rest) if of_text else None
        if named is not None:
            names.append(named[1] or named[2])
        else:
            computed = computed or whole.strip()
    assembler = None if computed else _ASSEMBLER.search(text)
    if assembler is not None:
        computed = text[text.rfind("\n", 0, assembler.start()) + 1:].partition("\n")[0].strip()
    return names, computed


class Headers:
    """The headers of external functions that a CUDA text includes, and those that these include."""

    def __init__(self, program, text):
        self.names = []            # what the text itself includes
        self.snapshot = Snapshot()  # of everywhere that a header was searched for
        self.parts = []            # texts that differ if any header does
        self.computed = ""         # what includes a file that only nvcc can tell
        numbers = {}  # of headers, by path, in the order in which they are found; None: there is none
        seen = set()
        waiting = [(text, None)]
        for text, place in waiting:
            names, computed = included(text)
            if place is None:
                # A header of the user also hides one that the runtime includes.
                names = self.names = list(dict.fromkeys([*names, *compiler.runtime_includes()]))
                folders = program.folders
            else:
                if computed and not self.computed:
                    self.computed = f"{place}: `{computed}`"
                folders = [os.path.dirname(place), *program.folders]
            for name, (i, folder) in itertools.product(dict.fromkeys(names), enumerate(folders)):
                found = os.path.join(folder, name)
                if found not in numbers:
                    content = self.snapshot.read(found)
                    numbers[found] = None if content is None else len(numbers)
                    if content is not None:
                        self.parts.append(content)
                        # What it includes depends on its folder, too: a link to it may be in another one.
                        identity = os.path.realpath(found), os.path.realpath(os.path.dirname(found))
                        if identity not in seen:
                            seen.add(identity)
                            waiting.append((content.decode("utf-8", "replace"), found))
                if numbers[found] is not None:
                    self.parts.append(f"{i} {name} {numbers[found]}")
