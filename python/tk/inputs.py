"""The files that a program is made from: what tkc reads and what nvcc includes.

A file that is not there is an input, too: once there is one, an import or an `#include` may mean that one instead. So all
places where a name could have been found count, with the hash of the file there, or with None.
"""
import itertools
import os
import re

from . import cache

# `#include` of a name. Also in comments, and in parts that the preprocessor leaves out: that costs a needless check.
_GAP = r"(?:[ \t]|/\*.*?\*/)*"
_DIRECTIVE = rf"#{_GAP}(?:include|include_next|import)\b{_GAP}"
_NAMED = re.compile(rf'{_DIRECTIVE}(?:"([^"\n]+)"|<([^>\n]+)>)')
_COMPUTED = re.compile(rf'^{_GAP}({_DIRECTIVE}(?!["</ \t])[^\n]*)', re.MULTILINE)


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


class Headers:
    """The headers of external functions that a CUDA text includes, and those that these include."""

    def __init__(self, program, text):
        self.names = []            # what the text itself includes, other than tkc's own runtime
        self.snapshot = Snapshot()  # of everywhere that a header was searched for
        self.parts = []            # texts that differ if any header does
        self.computed = ""         # a directive whose file is named by a macro, which only nvcc can resolve
        seen = set()
        waiting = [(text, None)]
        while waiting:
            text, place = waiting.pop(0)
            text = re.sub(r"\\\r?\n", "", text)
            names = [quoted or angled for quoted, angled in _NAMED.findall(text)]
            if place is None:
                names = self.names = [name for name in names if not name.startswith("tk/")]
                folders = program.folders
            else:
                computed = _COMPUTED.search(text)
                if computed and not self.computed:
                    self.computed = f"{place}: `{computed.group(1).strip()}`"
                folders = [os.path.dirname(place), *program.folders]
            for name, (i, folder) in itertools.product(names, enumerate(folders)):
                found = os.path.join(folder, name)
                content = self.snapshot.read(found)
                if content is None:
                    continue
                self.parts += [f"{i} {name}", content]
                # What it includes depends on its folder, too: a link to it may be in another one.
                identity = os.path.realpath(found), os.path.realpath(os.path.dirname(found))
                if identity not in seen:
                    seen.add(identity)
                    waiting.append((content.decode("utf-8", "replace"), found))
