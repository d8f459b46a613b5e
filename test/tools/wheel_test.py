#!/usr/bin/env python3
"""Builds the wheel around a tkc that is there, installs it into an empty environment without a network, and runs what docs/python.md
shows for the CPU, literally, in an empty folder.

    wheel_test.py --tkc build/dev/tkc

scikit-build-core is taken from this Python, or by pip; where neither has it, the test is skipped (77).
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with status {done.returncode}:\n{done.stdout}")
    return done.stdout


def build_tools(folder):
    """A folder with scikit-build-core; None where it cannot be had."""
    if subprocess.run([sys.executable, "-c", "import scikit_build_core"], capture_output=True, check=False).returncode == 0:
        return ""
    tools = os.path.join(folder, "tools")
    got = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target", tools, "scikit-build-core"],
                         capture_output=True, check=False)
    return tools if got.returncode == 0 else None


def blocks_for_cpu():
    """The Python of docs/python.md that says device="cpu", and the programs that it shows."""
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as stream:
        text = stream.read()
    blocks = [b for b in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if 'device="cpu"' in b]
    if not blocks:
        sys.exit("docs/python.md has no example for the CPU")
    return blocks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tkc-wheel-") as folder:
        tools = build_tools(folder)
        if tools is None:
            print("skipped: scikit-build-core is not installed, and pip does not get it")
            return SKIPPED
        environment = dict(os.environ, PYTHONPATH=tools, PIP_NO_BUILD_ISOLATION="0")
        wheels = os.path.join(folder, "wheels")
        run(sys.executable, "-m", "pip", "wheel", ROOT, "-w", wheels, "--no-deps", "--no-index", "--no-build-isolation",
            f"--config-settings=cmake.define.TKC_PREBUILT={args.tkc}", f"--config-settings=build-dir={folder}/build", env=environment)
        (wheel,) = glob.glob(os.path.join(wheels, "tkc-*-py3-none-linux_*.whl"))

        clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TK_TKC")}
        clean["TK_CACHE"] = os.path.join(folder, "cache")
        run(sys.executable, "-m", "venv", "--system-site-packages", os.path.join(folder, "venv"))  # for NumPy
        python = os.path.join(folder, "venv", "bin", "python")
        run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel, env=clean)
        empty = os.path.join(folder, "empty")
        os.mkdir(empty)
        said = run(os.path.join(folder, "venv", "bin", "tkc"), "--version", cwd=empty, env=clean)
        version = run(python, "-c", "import tk; print('tkc', tk.__version__)", cwd=empty, env=clean)
        if said != version:
            sys.exit(f"tkc --version is {said}and the package's {version}")
        for block in blocks_for_cpu():
            print(run(python, "-c", block, cwd=empty, env=clean))
    return 0


if __name__ == "__main__":
    sys.exit(main())
