#!/usr/bin/env python3
"""`tkc test --mutate --fix` on a file that somebody else changes while it runs: nobody's text is lost.

    mutate_files_test.py --tkc build/tests/tkc

The run is stopped when it shows its progress, which it does on a terminal, and goes on after the change.
"""
import argparse
import os
import pty
import signal
import subprocess
import sys
import tempfile

# Tests of both kernels with data that show little, so that there is a test to write for each.
PROGRAM = """\
kernel {name}<C: int = 256>(X: f32[R, C], out Y: f32[R, C])
{{
    grid (r in R by 8) warps(8);
    let x = load(X[r, :]);
    let e = exp(x - max(x, axis = 1));
    store(Y[r, :], e / sum(e, axis = 1));
}}

reference {name}(X) -> (Y) {{ Y = softmax(X, axis = 1); }}

test tame_{name} of {name} {{ for R in [1, 200]; for C in [8, 512]; X = uniform(0, 1); expect Y ~ reference within 1e-5; }}
"""
TEXT = PROGRAM.format(name="first") + "\n" + PROGRAM.format(name="second")


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


class Stopped:
    """A run of `tkc test --mutate --fix` that waits after its tests passed, and before it writes any."""

    def __init__(self, tkc, path, kernel):
        terminal, line = pty.openpty()
        self.process = subprocess.Popen([tkc, "test", "--mutate", "--fix", "--jobs", "1", "--in", kernel, path],
                                        stdout=subprocess.PIPE, stderr=line, text=True)
        os.close(line)
        self.terminal = terminal
        self.said = os.read(terminal, 4096)
        self.process.send_signal(signal.SIGSTOP)

    def end(self):
        """(exit code, standard output, standard error)"""
        self.process.send_signal(signal.SIGCONT)
        errors = self.said
        while True:
            try:
                part = os.read(self.terminal, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            errors += part
        os.close(self.terminal)
        out = self.process.stdout.read()
        return self.process.wait(), out, errors.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", required=True)
    tkc = os.path.abspath(parser.parse_args().tkc)
    faults = []

    def expect(condition, what):
        if not condition:
            faults.append(what)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "softmax.tk")

        # Two at once: the one that is later says so, and what the other one wrote stays.
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(TEXT)
        later = Stopped(tkc, path, "first")
        sooner = subprocess.run([tkc, "test", "--mutate", "--fix", "--in", "second", path], capture_output=True, text=True,
                                check=False)
        written = read(path)
        expect(sooner.returncode == 0, f"the first to write failed:\n{sooner.stdout}{sooner.stderr}")
        expect(written != TEXT and "of second {" in written, "the first to write wrote no test")
        code, out, errors = later.end()
        expect(code == 1, f"the second to write ended with {code}")
        expect("it has changed since it was read; run the command again" in errors, f"the second to write said:\n{errors}")
        expect(f"{path} has changed in the meantime" in out, f"the second to write reported:\n{out}")
        expect(read(path) == written, "what the first one wrote is lost")
        again = subprocess.run([tkc, "test", "--mutate", "--fix", path], capture_output=True, text=True, check=False)
        expect(again.returncode == 0, f"run again, it failed:\n{again.stdout}{again.stderr}")
        expect(read(path).startswith(TEXT.split("\n\n")[0]) and "of second {" in written, "text is lost")

        # A file that changes while it is only looked at.
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(TEXT)
        looking = Stopped(tkc, path, "first")
        with open(path, "a", encoding="utf-8") as stream:
            stream.write("// A line of somebody else.\n")
        code, out, errors = looking.end()
        expect(code == 1, f"with a line more, it ended with {code}")
        expect(read(path) == TEXT + "// A line of somebody else.\n", "the line of somebody else is lost")
        expect("has changed in the meantime: this refers to the old text" in out, f"with a line more, it said:\n{out}")

    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
