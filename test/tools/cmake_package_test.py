#!/usr/bin/env python3
"""Installs tkc, and builds and runs examples/cmake against it: find_package(tkc) and tkc_add_kernel.

    cmake_package_test.py --tkc build/dev/tkc --cmake cmake --nvcc /usr/local/cuda/bin/nvcc

Besides, a change of an imported file must rebuild what was made of it, and mistakes in the call must be told.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

MISTAKES = {
    'tkc_add_kernel(nobody k.tk)': "there is no target `nobody`",
    'add_library(l STATIC l.cpp)\ntkc_add_kernel(l nowhere.tk)': "there is no file",
    'add_library(l STATIC l.cpp)\ntkc_add_kernel(l k.tk DEFINE D=1)': "what is `DEFINE;D=1`",
    'add_library(l STATIC l.cpp)\ntkc_add_kernel(l k.tk)\ntkc_add_kernel(l k.tk DEFINES D=1)': "has kernels called `k` already",
}


def run(*command, fails=False):
    """Runs a command and gives what it printed; ends the test unless it ends as it should."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(command)}\nended with status {done.returncode}:\n{done.stdout}")
    return done.stdout


def expect(condition, what, text=""):
    if not condition:
        sys.exit(f"not so: {what}\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tkc", required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--nvcc", default="")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tkc-cmake-") as folder:
        prefix, build = os.path.join(folder, "prefix"), os.path.join(folder, "build")
        run(args.cmake, "-S", ROOT, "-B", os.path.join(folder, "install"), f"-DTKC_PREBUILT={args.tkc}")
        run(args.cmake, "--install", os.path.join(folder, "install"), "--prefix", prefix)
        expect(os.access(os.path.join(prefix, "bin", "tkc"), os.X_OK), "bin/tkc is installed")
        if not args.nvcc:
            print("there is no nvcc here: the project was not built")
            return 0

        examples = os.path.join(folder, "examples")
        shutil.copytree(os.path.join(ROOT, "examples"), examples)
        source = os.path.join(examples, "cmake")
        found = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCUDAToolkit_ROOT={os.path.dirname(os.path.dirname(args.nvcc))}", "-GNinja"]
        run(args.cmake, "-S", source, "-B", build, *found)
        run(args.cmake, "--build", build)
        said = run(os.path.join(build, "two_kernels"))
        expect("softmax" in said and "256" in said, "the launcher tells the extent that it wants", said)
        expect("there is no GPU here" in said or "3 * 2 = 6" in said, "the program ends well", said)
        expect("no work to do" in run(args.cmake, "--build", build), "a second build has nothing to do")

        time.sleep(0.01)
        with open(os.path.join(source, "kernels", "scaling.tk"), "a", encoding="utf-8") as stream:
            stream.write("// changed\n")
        again = run(args.cmake, "--build", build)
        expect("tkc kernels/scale.tk" in again and "tkc ../rows/softmax.tk" not in again, "an import that changed rebuilds its user", again)

        for call, message in MISTAKES.items():
            wrong = tempfile.mkdtemp(dir=folder)
            for name in ("k.tk", "l.cpp"):
                with open(os.path.join(wrong, name), "w", encoding="utf-8") as stream:
                    stream.write("")
            with open(os.path.join(wrong, "CMakeLists.txt"), "w", encoding="utf-8") as stream:
                stream.write("cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES CXX)\nfind_package(tkc REQUIRED)\n" + call + "\n")
            said = run(args.cmake, "-S", wrong, "-B", os.path.join(wrong, "build"), *found, fails=True)
            expect(message in " ".join(said.split()), f"`{call}` is told `{message}`", said)
    return 0


if __name__ == "__main__":
    sys.exit(main())
