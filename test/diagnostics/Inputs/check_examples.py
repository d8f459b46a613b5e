# Each `Example:` in the catalogue of messages gives exactly the message that it stands with.
#
#     check_examples.py TKC STAGE [CODE ...]      STAGE: syntax, names, ..; the codes are left out
import json
import os
import re
import subprocess
import sys
import tempfile

ROW = re.compile(r'TK_(?:ERROR|WARNING|NOTE)\((\d+), (\w+),.*?R"\((.*?)\)"\)', re.DOTALL)
HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = os.path.join(HERE, "..", "..", "..", "language", "diagnostics")


def reported(tkc, text):
    """The codes that the compiler reports for a file of this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "example.tk")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        done = subprocess.run([tkc, "check", "--json", path], capture_output=True, check=False)
    lines = done.stdout.decode().splitlines()
    return [json.loads(line)["code"] for line in lines if line.startswith("{")]


def main():
    tkc, stage, *left_out = sys.argv[1:]
    with open(os.path.join(TABLES, stage + ".def"), encoding="utf-8") as stream:
        rows = ROW.findall(stream.read())
    bad = 0
    for code, name, page in rows:
        _, marker, example = page.partition("Example:\n")
        if code in left_out or not marker:
            if not marker and code not in left_out:
                print(f"TK{code} {name}: no example")
                bad += 1
            continue
        text = "\n".join(line[4:] for line in example.strip("\n").split("\n")) + "\n"
        codes = reported(tkc, text)
        if codes != ["TK" + code]:
            print(f"TK{code} {name}: its example gives {codes}")
            bad += 1
    print(f"{len(rows)} rows, {bad} wrong")
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
