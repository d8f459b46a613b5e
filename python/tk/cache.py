"""The cache's folder: where it is, what is in it, who may have written to it.

    loads/KEY                       what tk.load knows of a program without running tkc (libraries.py)
    kernels/KEY-cuda13.0.88/        a library, its .cu and .h, and its hash; appears as a whole, by a rename
    kernels/KEY-cuda13.0.88.lock    held while a process builds it
    sources/KEY/cell.tk             a text that was passed to tk.from_source
    known/KEY                       the hash of a tkc, the version of an nvcc

Files appear by a rename, and records hold their own hash: a file that is cut off is as good as none. The system releases a
lock with the process that holds it, so a killed builder blocks nobody; the next builder removes what it left.
"""
import contextlib
import errno
import functools
import grp
import hashlib
import json
import os
import pwd
import stat
import time

from .errors import BuildError

# Times of files are this exact, at worst. A file that is younger may change again without a change of its time.
_RESOLUTION = 2.0

_remembered = {}


def folder():
    """The cache, without links on the way to it. A link above it is thus looked at once, and what is checked is what is loaded."""
    return os.path.realpath(_named())


def _named():
    """$TK_CACHE, $XDG_CACHE_HOME/tkc or ~/.cache/tkc."""
    named = os.environ.get("TK_CACHE")
    if named:
        return os.path.abspath(named)
    home = os.environ.get("XDG_CACHE_HOME", "")  # by its specification, a relative path is ignored
    return os.path.join(home if os.path.isabs(home) else os.path.join(_home(), ".cache"), "tkc")


def _home():
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        with contextlib.suppress(KeyError):
            home = pwd.getpwuid(os.getuid()).pw_dir
    if not os.path.isabs(home):
        raise BuildError("there is no place for the cache, since it is not known where your home folder is: set TK_CACHE to a "
                         "folder of your own")
    return home


def digest(*parts):
    """A hash of texts or bytes that differs if any part does."""
    key = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")
        key.update(len(data).to_bytes(8, "little") + data)
    return key.hexdigest()[:32]


def cannot_write(reason):
    return BuildError(f"the cache {_named()} cannot be written: {reason}; set TK_CACHE to a folder that can")


class Gone(BuildError):
    """A file or folder of the cache was removed in the middle of something, which another try may not meet."""


@contextlib.contextmanager
def explained():
    """Turns an error of the file system into a sentence that says what to do."""
    try:
        yield
    except OSError as error:
        said = cannot_write(error.strerror + (f" ({error.filename})" if error.filename else ""))
        raise (Gone(str(said)) if isinstance(error, FileNotFoundError) else said) from None


# ---- who may have written --------------------------------------------------------------------------


def check_owner(path):
    """Raises BuildError if another user could have written this file or folder of the cache, or could put another one there.

    That may be the owner of any folder on the way, from `/` down, and whoever can write to it. If this returns, nobody but the
    user and root can change what the path leads to, so it may be checked first and loaded by its path later. Returns whether
    there is such a file.
    """
    root = folder()
    place = os.sep
    for name in ["", *filter(None, path.split(os.sep))]:
        place = os.path.join(place, name)
        try:
            status = os.lstat(place)
        except (FileNotFoundError, NotADirectoryError):
            return False
        _check(place, status, root)
    return True


def _check(place, status, root):
    above = place != root and os.path.join(root, "").startswith(os.path.join(place, ""))
    named = f"{place}, in which the cache is," if above else place
    if stat.S_ISLNK(status.st_mode):
        raise BuildError(f"{place} is a link, which may lead to other code than tk put into the cache, so nothing is loaded from "
                         "it: remove it (TK_CACHE itself may be a link)")
    if status.st_uid not in (0, os.geteuid()) and not (above and status.st_uid == _unmapped()):
        raise BuildError(f"{named} belongs to {_user(status.st_uid)}, who could have put other code into the cache, so nothing "
                         "is loaded from it: set TK_CACHE to a folder of your own")
    # In a sticky folder, such as /tmp, only the owner of a file may replace it, and that one is looked at next.
    sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
    writers = status.st_mode & (0o002 if _is_private(status.st_gid) else 0o022)
    if writers and not sticky:
        command = f"chmod go-w {place}" if above else f"chmod -R go-w {root}"
        raise BuildError(f"{named} can be written by other users, who could have put other code into the cache, so nothing is "
                         f"loaded from it: if nobody did, run `{command}`; or set TK_CACHE to another folder")


@functools.lru_cache(maxsize=None)
def _is_private(group):
    """Whether a group is this user's own, of the same name and without other members: many systems give each user one, and
    a umask of 002. The name counts since not every directory of users lists those whose primary group it is."""
    try:
        user, row = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    if row.gr_name != user.pw_name or any(name != user.pw_name for name in row.gr_mem):
        return False
    return [other.pw_name for other in pwd.getpwall() if other.pw_gid == group] in ([], [user.pw_name])


@functools.lru_cache(maxsize=None)
def _unmapped():
    """The owner that `/` seems to have in a container that knows no other user than its own; None outside of such."""
    try:
        with open("/proc/sys/kernel/overflowuid", encoding="ascii") as stream:
            owner = int(stream.read())
        with open("/proc/self/uid_map", encoding="ascii") as stream:
            rows = [[int(word) for word in line.split()] for line in stream]
    except (OSError, ValueError):
        return None
    return None if any(first <= owner < first + count for first, _, count in rows) else owner


def _user(number):
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


# ---- files -----------------------------------------------------------------------------------------


def make_folder(path):
    """Makes a folder of the cache, and those on the way to it, which only their owner can write, whatever the umask."""
    place = os.sep
    for name in path.split(os.sep):
        place = os.path.join(place, name)
        if not os.path.lexists(place):
            with contextlib.suppress(FileExistsError):  # another process was faster
                os.mkdir(place, 0o755)
    if check_owner(path) and not os.path.isdir(path):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)


def write(path, data):
    """Writes a file that appears as a whole; its folder is made if necessary."""
    make_folder(os.path.dirname(path))
    fresh = f"{path}.new-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as stream:
            stream.write(data)
        os.replace(fresh, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
        raise


def content_of(path):
    """The content of a file; None if it cannot be read, or is not a file: a named pipe would wait for a writer."""
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as stream:
            return stream.read() if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else None
    except (OSError, ValueError):  # ValueError: a name with a NUL
        return None


def read(path):
    """The content of a file of the cache; None if there is none. Raises BuildError if another user could have written it."""
    return content_of(path) if check_owner(path) else None


def write_record(path, value):
    """Keeps data. If the cache is read-only or full, the next process has to find it out again."""
    data = json.dumps(value, separators=(",", ":")).encode()
    with contextlib.suppress(OSError):
        write(path, digest(data).encode() + b"\n" + data)


def read_record(path):
    """Data that was kept; None if there is none, or not all of it."""
    hashed, _, data = (read(path) or b"").partition(b"\n")
    if hashed != digest(data).encode():
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):  # whoever wrote it, it was not this program
        return None


def keep_source(text, name):
    """A file with this text, for tkc to read."""
    path = os.path.join(folder(), "sources", digest(text), name)
    if read(path) != text.encode():
        with explained():
            write(path, text.encode())
    return path


# ---- what is known of programs ---------------------------------------------------------------------


def remembered(kind, path, find):
    """The text that `find()` returns for the program `path`: found once, and again after the program was replaced."""
    key, changed = _identity(kind, path)
    place = os.path.join(folder(), "known", key)
    if place not in _remembered:
        value = read_record(place)
        if not isinstance(value, str):
            value = find()
            if changed > time.time() - _RESOLUTION or _identity(kind, path)[0] != key:
                return value
            write_record(place, value)
        _remembered[place] = value
    return _remembered[place]


def _identity(kind, path):
    """A hash that differs if the file is another one, and the time of its last change."""
    s = os.stat(path)
    numbers = s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns
    return digest(kind, os.path.abspath(path), os.path.realpath(path), *map(str, numbers)), s.st_ctime
