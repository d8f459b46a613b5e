#!/usr/bin/env python3
"""Checks a SARIF document of tkc: what the standard requires, and that its numbers fit each other.

    sarif_check.py FILE [--schema sarif-schema-2.1.0.json]

The schema, of https://github.com/oasis-tcs/sarif-spec, needs the package `jsonschema`.
"""
import argparse
import json
import pathlib
import sys


def check_region(region):
    start = (region["startLine"], region["startColumn"])
    end = (region["endLine"], region["endColumn"])
    assert (1, 1) <= start <= end, region


def check_location(location):
    place = location["physicalLocation"]
    assert place["artifactLocation"]["uri"] and " " not in place["artifactLocation"]["uri"], place
    check_region(place["region"])


def check(document):
    assert document["version"] == "2.1.0" and len(document["runs"]) == 1
    run = document["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    codes = [rule["id"] for rule in rules]
    assert codes == sorted(set(codes)), codes
    for rule in rules:
        assert rule["shortDescription"]["text"] and "{}" not in rule["shortDescription"]["text"], rule
        assert rule["fullDescription"]["text"] and rule["help"]["text"], rule["id"]
    for result in run["results"]:
        assert codes[result["ruleIndex"]] == result["ruleId"], result
        assert result["level"] in ("error", "warning", "note") and result["message"]["text"], result
        for location in result["locations"] + result.get("relatedLocations", []):
            check_location(location)
        for fix in result.get("fixes", []):
            for change in fix["artifactChanges"]:
                for replacement in change["replacements"]:
                    check_region(replacement["deletedRegion"])
    assert {r["ruleId"] for r in run["results"]} == set(codes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--schema", type=pathlib.Path)
    options = parser.parse_args()
    document = json.loads(options.file.read_text(encoding="utf-8"))
    check(document)
    if options.schema:
        import jsonschema  # only for who asks

        jsonschema.validate(document, json.loads(options.schema.read_text(encoding="utf-8")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
