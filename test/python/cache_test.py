"""The cache: what is a hit, several processes and threads, builders that are killed, disks, owners, entries that are cut off."""
import contextlib
import enum
import glob
import grp
import json
import os
import signal
import subprocess
import sys
import threading
import time
import types
import unittest
from pathlib import Path
from unittest import mock

import numpy

import support
import tk
from tk import cache, compiler

LOAD = "import tk, sys; m = tk.load(sys.argv[1]); print(m._path)"
USER = "kernel k<C: int = 64>(X: f32[R, C], out Y: f32[R, C])\n{{\n    grid (r in R by 4) warps(4);\n    store(Y[r, :], {});\n}}\n"

# Counts what starts a process; a hook stays until the end, so it is one for all tests.
STARTS = ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.system", "pty.spawn")
started = []
sys.addaudithook(lambda event, arguments: started.append((event, arguments)) if event in STARTS else None)


def text_of(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def files_of(folder, pattern="*"):
    return sorted(glob.glob(os.path.join(os.environ["TK_CACHE"], folder, pattern)))


def settle(*paths):
    """Waits until files are so old that what is known of them may be kept."""
    youngest = max(os.stat(path).st_ctime for path in paths)
    time.sleep(max(0, youngest + cache._RESOLUTION + 0.1 - time.time()))


class Hits(support.Case):
    def library(self, path, **words):
        return self.load(path, **words).library

    def test_hit(self):
        first = self.library(support.PROBE)
        self.assertEqual(self.library(support.PROBE), first)
        self.assertEqual(self.builds(), 1)
        names = sorted(os.listdir(os.path.dirname(first)))
        stem = f"probe-{os.path.basename(os.path.dirname(first))[:12]}"
        self.assertEqual(names, [f"{stem}.cu", f"{stem}.h", f"{stem}.so", f"{stem}.so.sha256"])
        checked = subprocess.run(["sha256sum", "-c", f"{stem}.so.sha256"], cwd=os.path.dirname(first), capture_output=True, check=False)
        self.assertEqual(checked.returncode, 0)

    def test_constants_and_content(self):
        path = self.write("k.tk", USER.format("load(X[r, :])"))
        first = self.library(path)
        self.assertNotEqual(self.library(path, C=128), first)
        self.assertEqual(self.library(path, C=64), first)  # the default
        self.write("k.tk", USER.format("2 * load(X[r, :])"))
        self.assertNotEqual(self.library(path), first)
        self.write("k.tk", USER.format("load(X[r, :])"))
        self.assertEqual(self.library(path), first)
        self.assertEqual(self.builds(), 3)

    def test_target_and_debug(self):
        path = self.write("k.tk", USER.format("load(X[r, :])"))
        libraries = {self.library(path), self.library(path, target="sm_80"), self.library(path, debug=True)}
        self.assertEqual((len(libraries), self.builds()), (3, 3))

    def test_without_nvcc(self):
        self.set(TKC_NVCC=os.path.join(self.folder, "nothing"))
        with self.raises(tk.BuildError, "TKC_NVCC names", "which is not a program", "device=\"cpu\""):
            self.load(support.PROBE)
        self.set(TKC_NVCC=os.path.join(support.INPUTS, "nvcc.py"))
        first = self.library(support.PROBE)
        self.set(TKC_NVCC=os.path.join(self.folder, "nothing"))
        self.assertEqual(self.library(support.PROBE), first)  # what was built serves
        # It does so in another place, too: a cache may be copied.
        moved = os.path.join(self.folder, "moved")
        os.rename(os.environ["TK_CACHE"], moved)
        self.set(TK_CACHE=moved)
        for name in files_of("loads"):
            os.unlink(name)
        self.assertEqual(self.library(support.PROBE), first.replace(self.folder + "/cache", moved))
        self.assertEqual(self.builds(), 1)

    def test_failing_nvcc(self):
        path = self.write("bin/nvcc", "#!/bin/sh\n[ \"$1\" = --version ] && echo release 13.0 && exit 0\necho no such luck; exit 1\n")
        os.chmod(path, 0o755)
        self.set(TKC_NVCC=path)
        with self.raises(tk.Error, "no such luck"):
            self.load(support.PROBE)
        self.assertEqual([f for f in files_of("kernels") if not f.endswith(".lock")], [])

    def test_newest_without_nvcc(self):
        """Numbers of versions are compared, not their digits."""
        for version in ("13.0.9", "13.0.88"):
            self.set(TKC_NVCC=self.nvcc(f"{version}/nvcc", version))
            newest = self.library(support.PROBE)
        self.set(TKC_NVCC=os.path.join(self.folder, "nothing"))
        self.assertEqual(self.library(support.PROBE), newest)

    def test_default_target(self):
        self.assertEqual(self.library(support.PROBE), self.library(support.PROBE, target="sm_90a"))
        self.assertEqual(self.builds(), 1)

    def test_numbers(self):
        """Constants of NumPy's types and of enums are what they are worth."""
        for value, text in ((numpy.float64(64), "64.0"), (numpy.float32(0.5), "0.5"), (numpy.int64(64), "64"),
                            (enum.IntEnum("E", "A").A, "1"), (numpy.True_, "true"), (True, "true"), (64, "64"),
                            (numpy.dtype("f4"), "f32"), (numpy.float16, "f16")):
            self.assertEqual(compiler.constant_text("C", value), text)

    def test_names_like_options(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        for name in ("--version", "-x.tk", "-D.tk"):
            self.write(name, text_of(support.PROBE))
            for device in ("cuda", "cpu"):
                self.assertIn("probe", [row["name"] for row in self.load(name, device).functions])
        tk.from_source(text_of(support.PROBE), name="-D", device="cpu")

    def test_tools_that_do_not_start(self):
        for text in (b"no program", b"#!/no/such/shell\n", b"#!/bin/sh\nprintf 'release\\377\\n'\n"):
            path = os.path.join(self.folder, "nvcc")
            with open(path, "wb") as stream:
                stream.write(text)
            os.chmod(path, 0o755)
            self.set(TKC_NVCC=path)
            with self.raises(tk.BuildError, path):
                self.load(support.PROBE)
        self.set(TK_TKC=self.folder)
        with self.raises(tk.BuildError, f"$TK_TKC names `{self.folder}`, which is not a program"):
            self.load(support.PROBE)

    def test_module_without_a_place(self):
        with mock.patch.dict(sys.modules, nvidia=types.ModuleType("nvidia")):  # whose __spec__ is None
            self.assertIsNone(compiler.environment_nvcc())

    def test_wrong_arguments(self):
        for include in (None, "folder", Path("folder")):
            with self.raises(TypeError, "`include` must be a list of folders", "include=["):
                tk.load(support.PROBE, device="cpu", include=include)
        with self.raises(ValueError, "from_source(): the text has '\\ud800' at 3"):
            tk.from_source("// \ud800", device="cpu")

    def test_path_from_source(self):
        text = text_of(support.PROBE)
        m = tk.from_source(text, name="probe")
        self.assertEqual(m.source(), text)
        self.assertEqual(self.library(support.PROBE), m._path)  # content counts, not where it came from
        self.assertEqual(self.builds(), 1)


class Warm(support.Case):
    def count(self, load):
        """How many processes a load starts."""
        before = len(started)
        load()
        return len(started) - before

    def test_no_process(self):
        settle(compiler.tkc(), os.path.join(support.INPUTS, "nvcc.py"))
        text = text_of(support.PROBE)
        path = self.write("k.tk", "import twice;\n" + USER.format("twice.f(load(X[r, :]))"))
        self.write("twice.tk", "fn f(x: f32[M, N]) -> f32[M, N] { return 2 * x; }\n")
        loads = [lambda: tk.load(support.PROBE), lambda: tk.from_source(text, name="probe"),
                 lambda: self.load(path), lambda: tk.load(path, device="cpu"), lambda: tk.from_source(text, device="cpu")]
        for load in loads:
            self.assertGreater(self.count(load), 0)
        for forget in (False, True):
            for load in loads:
                if forget:  # as another process
                    cache._remembered.clear()
                self.assertEqual(self.count(load), 0, started[-1])

    def test_another_folder(self):
        """A cell without imports is the same in every current folder."""
        text = text_of(support.PROBE)
        tk.from_source(text, name="probe")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.assertEqual(self.count(lambda: tk.from_source(text, name="probe")), 0)

    def test_time(self):
        tk.load(support.PROBE)
        times = []
        for _ in range(10):
            start = time.perf_counter()
            tk.load(support.PROBE)
            times.append(time.perf_counter() - start)
        self.assertLess(min(times), 0.03)


class Together(support.Case):
    """Processes and threads that share a cache."""

    def start(self):
        return subprocess.Popen([sys.executable, "-c", LOAD, support.PROBE], stdout=subprocess.PIPE, text=True,
                                start_new_session=True)

    def test_processes(self):
        self.set(FAKE_NVCC_SLEEP="1")
        processes = [self.start() for _ in range(3)]
        paths = {p.communicate()[0].strip() for p in processes}
        self.assertEqual([p.returncode for p in processes], [0, 0, 0])
        self.assertEqual(len(paths), 1)
        self.assertEqual(self.builds(), 1)

    def test_threads(self):
        self.set(FAKE_NVCC_SLEEP="0.5")
        modules = []
        threads = [threading.Thread(target=lambda: modules.append(tk.load(support.PROBE))) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len({m._path for m in modules}), 1)
        self.assertEqual((len(modules), self.builds()), (4, 1))

    def test_killed_builder(self):
        self.set(FAKE_NVCC_SLEEP="60")
        process = self.start()
        deadline = time.monotonic() + 30
        while self.builds() == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        self.assertEqual(len(files_of("kernels", "*.new-*")), 1)  # it left something
        self.set(FAKE_NVCC_SLEEP="0")
        start = time.monotonic()
        self.assertTrue(os.path.exists(self.load(support.PROBE).library))
        self.assertLess(time.monotonic() - start, 20)  # it was not waited for
        self.assertEqual(files_of("kernels", "*.new-*"), [])

    def test_killed_at_any_time(self):
        for i in range(12):
            process = self.start()
            time.sleep(0.05 * i)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        self.assertTrue(os.path.exists(tk.load(support.PROBE)._path))

    def test_forked_child_keeps_no_lock(self):
        """A child of a thread that forks during a build has the lock's descriptor."""
        self.set(FAKE_NVCC_SLEEP="0.5")
        builder = threading.Thread(target=self.load, args=(support.PROBE,))
        builder.start()
        while self.builds() == 0:
            time.sleep(0.01)
        child = os.fork()
        if child == 0:
            time.sleep(20)
            os._exit(0)
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.kill, child, signal.SIGKILL)
        builder.join()
        os.unlink(self.load(support.PROBE).library)  # so that it is built again
        start = time.monotonic()
        self.load(support.PROBE)
        self.assertLess(time.monotonic() - start, 10)


class Damaged(support.Case):
    """Entries that are cut off, by a copy or a crash of the machine."""

    def check(self, damage, builds):
        first = self.load(support.PROBE)
        damage(first.library)
        again = self.load(support.PROBE)
        self.assertEqual((again.library, again.functions), (first.library, first.functions))
        self.assertEqual(self.builds(), builds)
        self.assertEqual(self.load(support.PROBE).library, first.library)
        self.assertEqual(self.builds(), builds)
        tk.load(support.PROBE)  # it can be opened

    def test_libraries(self):
        def rewrite(path, content):
            os.unlink(path)  # the old one is open
            with open(path, "wb") as stream:
                stream.write(content)

        def cut(path, size):
            with open(path, "rb") as stream:
                rewrite(path, stream.read()[:size])

        def change(path):
            with open(path, "rb") as stream:
                content = stream.read()
            rewrite(path, content[:5000] + b"\xff" * 64 + content[5064:])

        for builds, damage in enumerate([os.unlink, lambda p: cut(p, 0), lambda p: cut(p, 4097), change,
                                         lambda p: os.unlink(p + ".sha256"), lambda p: cut(p + ".sha256", 10)], start=2):
            self.check(damage, builds)

    def test_records(self):
        for folder in ("loads", "known"):
            for content in (b"", b"{", b"null", None):
                def damage(_):
                    cache._remembered.clear()
                    for path in files_of(folder):
                        with open(path, "rb") as stream:
                            whole = stream.read()
                        with open(path, "wb") as stream:
                            stream.write(whole[:len(whole) // 2] if content is None else content)
                settle(compiler.tkc(), os.path.join(support.INPUTS, "nvcc.py"))
                self.check(damage, 1)
                self.assertGreater(len(files_of(folder)), 0)


    def test_records_of_another_form(self):
        """Their hash is right, but nobody knows what they say."""
        rows = [None, [], {}, 5, "s", {"functions": []}, {"functions": [], "key": None, "files": [], "absent": []}]
        good = {"functions": [], "key": "0" * 32, "files": [], "absent": []}
        rows += [{**good, **part} for part in ({"files": [[1]]}, {"files": [["a\0b", "x"]]}, {"files": 1}, {"absent": [1]},
                                               {"absent": ["n\0"]}, {"key": "../../x"}, {"functions": [1]})]
        first = self.load(support.PROBE).library
        (path,) = files_of("loads")
        for data in [*(json.dumps(row).encode() for row in rows), b"[" * 100000, b"{", b"\xff"]:
            with open(path, "wb") as stream:
                stream.write(cache.digest(data).encode() + b"\n" + data)
            self.assertEqual(self.load(support.PROBE).library, first)
        self.assertEqual(self.builds(), 1)


class Disks(support.Case):
    def test_folder_that_cannot_be_written(self):
        self.set(TK_CACHE=self.write("file", ""))
        with self.raises(tk.BuildError, "cannot be written", "set TK_CACHE"):
            self.load(support.PROBE)
        with self.raises(tk.BuildError, "cannot be written", "set TK_CACHE"):
            tk.from_source(text_of(support.PROBE), device="cpu")

    def test_folder_that_cannot_be_made(self):
        self.set(TK_CACHE="/proc/self/cache")  # not even by root
        with self.raises(tk.BuildError, "/proc/self/cache cannot be written", "set TK_CACHE"):
            self.load(support.PROBE)

    def test_home(self):
        """Relative paths are ignored, as the specification of $XDG_CACHE_HOME says; no folder is called `~`."""
        home = os.path.join(self.folder, "home")
        self.set(TK_CACHE="", XDG_CACHE_HOME="relative", HOME=home)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        self.assertEqual(cache.folder(), os.path.join(home, ".cache", "tkc"))
        self.set(XDG_CACHE_HOME="")
        self.load(support.PROBE)
        self.load(support.PROBE)  # the folders above were made so that it is good
        self.assertEqual(self.builds(), 1)
        self.set(HOME="relative")
        with mock.patch("pwd.getpwuid", side_effect=KeyError):
            with self.raises(tk.BuildError, "it is not known where your home folder is", "set TK_CACHE"):
                self.load(support.PROBE)
        self.assertEqual(sorted(os.listdir(self.folder)), ["home", "nvcc.log"])

    def test_removed_while_nvcc_runs(self):
        once = os.path.join(self.folder, "once")
        self.set(FAKE_NVCC_RUNS=f"[ -e {once} ] || {{ touch {once}; rm -rf {os.environ['TK_CACHE']}; }}")
        tk.load(support.PROBE)
        self.assertEqual(self.builds(), 2)
        self.set(FAKE_NVCC_RUNS=f"rm -rf {os.environ['TK_CACHE']}")
        with self.raises(tk.BuildError, "was removed while nvcc ran"):
            tk.load(support.PROBE, C=128)

    def test_read_only_hit(self):
        first = self.load(support.PROBE).library
        kernels = os.path.dirname(os.path.dirname(first))
        os.chmod(kernels, 0o555)
        self.addCleanup(os.chmod, kernels, 0o755)
        self.assertEqual(self.load(support.PROBE).library, first)

    @contextlib.contextmanager
    def disk(self, size):
        """The cache on a file system of its own."""
        place = os.path.join(self.folder, "disk")
        os.makedirs(place, exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", place]
        if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
            self.skipTest("only root can mount a file system, and not in every container")
        self.set(TK_CACHE=os.path.join(place, "cache"))
        try:
            yield place
        finally:
            subprocess.run(["umount", "-l", place], check=True)  # libraries from there are open

    def test_read_only_disk(self):
        text = text_of(support.PROBE)
        with self.disk("4m") as place:
            first = self.load(support.PROBE).library
            tk.from_source(text, name="probe")
            subprocess.run(["mount", "-o", "remount,ro", place], check=True)
            cache._remembered.clear()
            self.assertEqual(self.load(support.PROBE).library, first)
            self.assertEqual(tk.from_source(text, name="probe")._path, first)
            with self.raises(tk.BuildError, "cannot be written: Read-only file system", "set TK_CACHE"):
                self.load(support.PROBE, C=128)
            with self.raises(tk.BuildError, "cannot be written: Read-only file system", "set TK_CACHE"):
                tk.from_source(text + "\n")
            self.assertEqual(self.builds(), 1)

    def test_disk_without_programs(self):
        with self.disk("4m") as place:
            subprocess.run(["mount", "-o", "remount,noexec", place], check=True)
            with self.raises(tk.BuildError, "the library of probe.tk cannot be loaded", "set TK_CACHE to a folder on another one"):
                tk.load(support.PROBE)

    def test_full_disk(self):
        """With some bytes left, a load works or says why not; with room, the next one works."""
        refused = 0
        with self.disk("1m") as place:
            filler = os.path.join(place, "filler")
            for left in [*range(0, 96, 12), 128]:
                subprocess.run(["rm", "-rf", os.environ["TK_CACHE"]], check=True)
                cache._remembered.clear()
                with contextlib.suppress(OSError), open(filler, "wb") as stream:
                    while True:
                        stream.write(b"\0" * 4096)
                        stream.flush()
                os.truncate(filler, os.path.getsize(filler) // 4096 * 4096 - 1024 * left)
                try:
                    tk.load(support.PROBE)
                except tk.BuildError as error:
                    refused += 1
                    self.assertIn("No space left on device", str(error))
                    self.assertIn("TK_CACHE", str(error))
                    self.assertEqual(files_of("kernels", "*.new-*"), [])
                os.unlink(filler)
                tk.load(support.PROBE)
        self.assertGreater(refused, 2)


class Owners(support.Case):
    """What another user could have written is not loaded."""

    def places(self):
        library = self.load(support.PROBE).library
        tk.from_source(text_of(support.PROBE), device="cpu")
        root = os.environ["TK_CACHE"]
        (source,) = files_of("sources", "*/cell.tk")
        return [root, os.path.join(root, "kernels"), os.path.dirname(library), library, library + ".sha256",
                os.path.join(root, "loads"), files_of("loads")[0], source, os.path.dirname(source)]

    def refused(self, place, *words):
        cache._remembered.clear()
        with self.raises(tk.BuildError, place, "nothing is loaded from it", *words):
            self.load(support.PROBE)
            self.load(support.PROBE, device="cpu")
            tk.from_source(text_of(support.PROBE), device="cpu")

    def test_modes(self):
        for place in self.places():
            mode = os.stat(place).st_mode & 0o777
            if os.geteuid() == 0:
                os.chown(place, -1, 54321)  # a folder of root's own group may be writable by the group: test_groups
            for more in (0o020, 0o002):
                os.chmod(place, mode | more)
                self.refused(place, "can be written by other users", f"chmod -R go-w {os.environ['TK_CACHE']}", "TK_CACHE")
                os.chmod(place, mode)
            self.load(support.PROBE)

    def test_sticky(self):
        """In a folder such as /tmp, others cannot touch what is not theirs."""
        self.places()
        os.chmod(os.environ["TK_CACHE"], 0o1777)
        self.load(support.PROBE)
        self.assertEqual(self.builds(), 1)

    @unittest.skipIf(os.geteuid() != 0, "only root can give files away")
    def test_owners(self):
        for place in self.places():
            os.chown(place, 54321, -1)
            self.refused(place, "belongs to user 54321", "set TK_CACHE to a folder of your own")
            os.chown(place, 0, -1)
        self.load(support.PROBE)

    @unittest.skipIf(os.geteuid() != 0, "only root can give files away")
    def test_folders_above(self):
        """Whoever owns a folder on the way to the cache, or can write to it, can put another cache in its place."""
        above = os.path.join(self.folder, "above")
        self.set(TK_CACHE=os.path.join(above, "more", "cache"))
        self.load(support.PROBE)
        os.chown(above, 54321, -1)
        self.refused(above, "in which the cache is, belongs to user 54321", "set TK_CACHE to a folder of your own")
        os.chown(above, 0, -1)
        os.chmod(above, 0o777)
        self.refused(above, "in which the cache is, can be written by other users", f"run `chmod go-w {above}`")
        os.chmod(above, 0o1777)  # as /tmp
        self.load(support.PROBE)
        os.chown(os.path.join(above, "more"), 54321, -1)
        self.refused(os.path.join(above, "more"), "belongs to user 54321")

    @unittest.skipIf(os.geteuid() != 0, "only root can give files away")
    def test_groups(self):
        """A folder that the user's own group may write is as good as one that the user alone may write."""
        above = os.path.join(self.folder, "above")
        self.set(TK_CACHE=os.path.join(above, "cache"))
        self.load(support.PROBE)
        os.chmod(above, 0o775)
        os.chown(above, -1, 0)  # the group root, of root alone
        self.load(support.PROBE)
        for group in (54321, grp.getgrnam("tty").gr_gid):
            os.chown(above, -1, group)
            self.refused(above, "in which the cache is, can be written by other users")
        members = grp.struct_group(("root", "x", 0, ["daemon"]))
        os.chown(above, -1, 0)
        cache._is_private.cache_clear()
        self.addCleanup(cache._is_private.cache_clear)
        with mock.patch.object(grp, "getgrgid", lambda _: members):
            self.refused(above, "in which the cache is, can be written by other users")

    @unittest.skipIf(os.geteuid() != 0, "only root can give files away")
    def test_container_without_root(self):
        """Folders of the machine's root seem to belong to a user that stands for all unknown ones."""
        self.assertIn(cache._unmapped(), (None, 65534))
        above = os.path.join(self.folder, "above")
        self.set(TK_CACHE=os.path.join(above, "cache"))
        self.load(support.PROBE)
        os.chown(above, 54321, -1)
        with mock.patch.object(cache, "_unmapped", lambda: 54321):
            self.load(support.PROBE)
            os.chmod(above, 0o777)
            self.refused(above, "can be written by other users")
            os.chmod(above, 0o755)
            os.chown(os.environ["TK_CACHE"], 54321, -1)
            self.refused(os.environ["TK_CACHE"], "belongs to user 54321")

    @unittest.skipIf(os.geteuid() != 0, "only root can give files away")
    def test_link_to_the_cache(self):
        """A link above the cache is as good as where it leads: it is looked at once."""
        self.set(TK_CACHE=os.path.join(self.folder, "mine"))
        library = self.load(support.PROBE).library
        os.mkdir(os.path.join(self.folder, "theirs"))
        os.chown(os.path.join(self.folder, "theirs"), 54321, -1)
        link = os.path.join(self.folder, "link")
        os.symlink("mine", link)
        self.set(TK_CACHE=link)
        self.assertEqual(self.load(support.PROBE).library, library)
        os.unlink(link)
        os.symlink("theirs", link)
        self.refused(os.path.join(self.folder, "theirs"), "belongs to user 54321")

    def test_links_in_the_cache(self):
        """In a sticky cache, anybody may have made them."""
        for place in self.places()[1:]:
            os.rename(place, place + ".real")
            os.symlink(place + ".real", place)
            self.refused(place, "is a link")
            os.unlink(place)
            os.rename(place + ".real", place)
        self.load(support.PROBE)

    def test_no_files(self):
        """A named pipe, which would wait for a writer, is as good as nothing."""
        for place in self.places():
            if os.path.isfile(place):
                os.unlink(place)
                os.mkfifo(place)
        cache._remembered.clear()
        self.load(support.PROBE)
        self.load(support.PROBE, device="cpu")
        tk.from_source(text_of(support.PROBE), device="cpu")

    def test_any_umask(self):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        for place in self.places():
            self.assertEqual(os.stat(place).st_mode & 0o022, 0, place)
        self.load(support.PROBE)
        self.assertEqual(self.builds(), 1)


if __name__ == "__main__":
    unittest.main()
