# The lit suite: what the RUN lines of the files under test/ may use.
#
#   %tkc            the compiler that was just built
#   %nvcc-check     compiles a .cu for the GPU and fails on spills and on serialized tensor-core work
#   %sarif-check    what SARIF asks of a document
#   %runtime        the folder to name in -I for the tile runtime
#   FileCheck, not, split-file
#
# Features for REQUIRES: `nvcc` (the CUDA compiler is here), `gpu` (a Hopper GPU too), `crash-reports` (no
# sanitizer, whose own reports take their place).
import os
import subprocess

import lit.formats

config.name = "tkc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".tk", ".tir", ".test", ".cu"]
config.excludes = ["Inputs", "fuzz", "python", "rules", "tools", "unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_folder, "test")

root = os.path.dirname(config.test_source_root)
tkc = os.path.join(config.build_folder, "tkc")
nvcc_check = os.path.join(config.test_source_root, "tools", "nvcc_check.py")

# The longer name first: lit replaces by plain text.
config.substitutions += [
    ("%sarif-check", f"{config.python} {os.path.join(config.test_source_root, 'tools', 'sarif_check.py')}"),
    ("%nvcc-check", f"{config.python} {nvcc_check} --nvcc {config.nvcc}"),
    ("%runtime", os.path.join(root, "runtime")),
    ("%tkc", tkc),
]
config.environment["PATH"] = os.pathsep.join([config.llvm_bin, os.environ["PATH"]])
# Messages must not depend on who runs the tests: no colors, no translations.
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["NO_COLOR"] = "1"
for name in ("HOME", "XDG_CACHE_HOME", "TKC_NVCC_CACHE", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
             "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

if not config.sanitized:
    config.available_features.add("crash-reports")
if config.nvcc:
    config.available_features.add("nvcc")


def has_hopper():
    """Whether the driver sees a GPU of compute capability 9.0."""
    try:
        query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
        found = subprocess.run(query, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return found.returncode == 0 and "9.0" in found.stdout.split()


if config.nvcc and has_hopper():
    config.available_features.add("gpu")
