#!/usr/bin/env python3
"""Whether tests would notice a fault in the lowering: `tkc test --weaken` on examples and test kernels.

    weaken_all.py --tkc build/tests/tkc                          all that have tests
    weaken_all.py --tkc build/tests/tkc examples/norms test/kernels/relay.tk

Every file, the seconds that it took and its sums are printed, and what is not noticed. A fault needs a reason: it is
redundant, or no test reaches it, which a launch with other extents would. Ends with 1 where one has none.
"""
import argparse
import os
import re
import subprocess
import sys
import time

from catalogue import ROOT, read
from mutate_all import TESTED, files_below

FOLDERS = ("examples", os.path.join("test", "kernels"))
SUMS = re.compile(r"^\d+ faults, \d+ redundant, (\d+) not reached, (\d+) not detected$")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tkc", required=True)
    arguments.add_argument("--verbose", action="store_true", help="print what is said of each file")
    arguments.add_argument("paths", nargs="*", help="files or folders")
    options = arguments.parse_args()

    failed = []
    not_reached = 0
    paths = options.paths or [os.path.join(ROOT, name) for name in FOLDERS]
    for path in [file for given in paths for file in files_below(os.path.abspath(given))]:
        if not path.endswith(".tk") or not TESTED.search(read(path)):
            continue
        name = os.path.relpath(path, ROOT)
        start = time.monotonic()
        # By a filter: tests of entries are left out without one.
        done = subprocess.run([os.path.abspath(options.tkc), "test", "--weaken", "--filter", "*", path],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        said = done.stdout.decode("utf-8", "replace")
        last = said.rstrip().rsplit("\n", 1)[-1]
        sums = SUMS.match(last)
        good = sums is not None and sums[2] == "0"
        not_reached += int(sums[1]) if sums is not None else 0
        print(f"{'pass' if good else 'FAIL'} {name}  {time.monotonic() - start:.1f} s: {last}", flush=True)
        if not good:
            failed.append(name)
        if not good or options.verbose:
            print(said, flush=True)
    if not_reached:
        print(f"{not_reached} faults that no test reaches")
    print(f"faults without a reason in {', '.join(failed)}" if failed else "every fault is noticed or has a reason")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
