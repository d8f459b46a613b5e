#!/usr/bin/env python3
"""Builds the Python package, installs it into an empty environment, and runs what docs/python.md shows for the CPU,
literally, in an empty folder. Checks what pip reads of the package, that all versions agree, and what
release/make-release refuses.

    wheel_test.py --tkc build/dev/tkc    packs this tkc; needs no network where scikit-build-core is installed
    wheel_test.py --build                builds the source distribution, and from it tkc, as a user's
                                         `pip install tkc-VERSION.tar.gz` does; prints the processor time; needs PyPI

Where scikit-build-core is not installed and pip cannot get it, the test is skipped (77).
"""
import argparse
import glob
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import ml_dtypes
import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77

# What pip installs with the package, and with tkc[nvcc].
REQUIRED = {"numpy", "ml_dtypes", 'cuda-toolkit[nvcc]==13.0.*; extra == "nvcc"'}

# The source distribution holds no tests, no pages, and no CUDA that tkc emits.
SOURCES = {"CMakeLists.txt", "CMakePresets.json", "pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "setup",
           "language/Tk.g4", "runtime/tk/tk.cuh", "stdlib/softmax.tk", "python/tk/__init__.py", "examples/gemm/gemm.tk"}
NO_SOURCE = re.compile(r"^(?:test|docs|bench|build|release)/|^examples/.*\.cu$|\.py[co]$|\.so$")
SOURCES_LIMIT = 3 << 20


def run(*command, fails=False, **options):
    """Runs a command and gives what it printed; ends the test unless the command ends as it should."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(command)}\nended with status {done.returncode}:\n{done.stdout}")
    return done.stdout


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as stream:
        return stream.read()


def expect(found, wanted, what):
    if found != wanted:
        sys.exit(f"{what}: {found}\nexpected: {wanted}")


def build_tools(folder):
    """The environment of a Python with scikit-build-core; None where it cannot be had."""
    if subprocess.run([sys.executable, "-c", "import scikit_build_core"], capture_output=True, check=False).returncode == 0:
        return dict(os.environ)
    tools = os.path.join(folder, "tools")
    got = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target", tools, "scikit-build-core"],
                         capture_output=True, check=False)
    return dict(os.environ, PYTHONPATH=tools) if got.returncode == 0 else None


def install_prebuilt(tkc, folder, environment):
    """Packs `tkc` and installs the wheel, without a network. Gives the environment's folder."""
    wheels = os.path.join(folder, "wheels")
    run(sys.executable, "-m", "pip", "wheel", ROOT, "-w", wheels, "--no-deps", "--no-index", "--no-build-isolation",
        f"--config-settings=cmake.define.TKC_PREBUILT={tkc}", f"--config-settings=build-dir={folder}/build",
        env=dict(environment, PIP_NO_BUILD_ISOLATION="0"))
    (wheel,) = glob.glob(os.path.join(wheels, "tkc-*-py3-none-linux_*.whl"))
    venv = os.path.join(folder, "venv")
    run(sys.executable, "-m", "venv", venv)
    # What the package depends on comes from this Python, as no network is used.
    (packages,) = glob.glob(os.path.join(venv, "lib", "python3*", "site-packages"))
    with open(os.path.join(packages, "dependencies.pth"), "w", encoding="utf-8") as stream:
        stream.writelines(f"{os.path.dirname(os.path.dirname(module.__file__))}\n" for module in (ml_dtypes, numpy))
    run(os.path.join(venv, "bin", "python"), "-m", "pip", "install", "--no-index", "--no-deps", wheel, env=clean(folder))
    return venv


def install_sources(folder, environment):
    """Builds the source distribution, and installs what it builds. Gives the environment's folder."""
    run(sys.executable, "-c", "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])", folder, cwd=ROOT,
        env=environment)
    (path,) = glob.glob(os.path.join(folder, "tkc-*.tar.gz"))
    with tarfile.open(path) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    expect(SOURCES - names, set(), f"{path} lacks")
    expect([name for name in names if NO_SOURCE.search(name)], [], f"{path} holds")
    size = os.path.getsize(path)
    expect(size < SOURCES_LIMIT, True, f"{path} has {size} bytes, of at most {SOURCES_LIMIT}")

    venv = os.path.join(folder, "venv")
    run(sys.executable, "-m", "venv", venv)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run(os.path.join(venv, "bin", "python"), "-m", "pip", "install", path, env=clean(folder))
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"pip install {os.path.basename(path)} ({size} bytes): {spent:.0f} s of processor time, {end - start:.0f} s")
    return venv


def clean(folder):
    """An environment in which only the installed package can be found."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TK_TKC")}
    return dict(environment, TK_CACHE=os.path.join(folder, "cache"))


def blocks_for_cpu():
    """The Python of docs/python.md that says device="cpu", and the programs that it shows."""
    text = read(ROOT, "docs", "python.md")
    blocks = [b for b in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if 'device="cpu"' in b]
    if not blocks:
        sys.exit("docs/python.md has no example for the CPU")
    return blocks


def check_metadata(python, tkc, **options):
    """One version everywhere, and what pip installs with the package."""
    version = re.search(r"^project\(tkc VERSION ([0-9.]+)", read(ROOT, "CMakeLists.txt"), re.MULTILINE)[1]
    newest = re.search(r"^## (\S+)", read(ROOT, "CHANGELOG.md"), re.MULTILINE)[1]
    expect(newest, version, "the newest section of CHANGELOG.md is")
    expect(run(tkc, "--version", **options), f"tkc {version}\n", "tkc --version says")
    expect(run(python, "-c", "import tk; print(tk.__version__)", **options), version + "\n", "tk.__version__ is")
    code = "import importlib.metadata as m; d = m.metadata('tkc'); print(d['Version'], *d.get_all('{}'), sep='\\n')"
    found = run(python, "-c", code.format("Requires-Dist"), **options).splitlines()
    expect(found[0], version, "the package's version is")
    expect({re.sub(r"""'""", '"', line) for line in found[1:]}, REQUIRED, "the package requires")
    found = run(python, "-c", code.format("License-File"), **options).splitlines()
    expect(set(found[1:]), {"LICENSE", "THIRD-PARTY-LICENSES"}, "the package's licenses are")


def check_release(folder):
    """release/make-release refuses a version without notes, and sources that nobody can name."""
    tree = os.path.join(folder, "release-tree")
    os.makedirs(os.path.join(tree, "release"))
    script = shutil.copy(os.path.join(ROOT, "release", "make-release"), os.path.join(tree, "release"))
    shutil.copy(os.path.join(ROOT, "CHANGELOG.md"), tree)
    text = read(ROOT, "CMakeLists.txt")
    for version, message in [("99.1.0", "CHANGELOG.md has no text for version 99.1.0"), (None, "is not a git checkout")]:
        with open(os.path.join(tree, "CMakeLists.txt"), "w", encoding="utf-8") as stream:
            stream.write(re.sub(r"tkc VERSION [0-9.]+", f"tkc VERSION {version}", text) if version else text)
        # git must not find a repository above the folder of temporary files.
        said = run(sys.executable, script, fails=True, env=dict(os.environ, GIT_CEILING_DIRECTORIES=folder))
        expect(message in said, True, f"make-release says:\n{said}which holds `{message}`")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc")
    parser.add_argument("--build", action="store_true")
    args = parser.parse_args()
    if bool(args.tkc) == args.build:
        parser.error("say either --tkc PATH or --build")
    with tempfile.TemporaryDirectory(prefix="tkc-wheel-") as folder:
        environment = build_tools(folder)
        if environment is None:
            print("skipped: scikit-build-core is not installed, and pip does not get it")
            return SKIPPED
        check_release(folder)
        if args.build:
            venv = install_sources(folder, environment)
        else:
            venv = install_prebuilt(os.path.abspath(args.tkc), folder, environment)
        python = os.path.join(venv, "bin", "python")
        empty = os.path.join(folder, "empty")
        os.mkdir(empty)
        options = {"cwd": empty, "env": clean(folder)}
        check_metadata(python, os.path.join(venv, "bin", "tkc"), **options)
        for block in blocks_for_cpu():
            print(run(python, "-c", block, **options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
