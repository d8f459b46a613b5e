#!/usr/bin/env python3
"""Tests in_flight.py on machine code that is written here."""
import unittest

import in_flight


def code(*lines):
    return ["\t\tFunction : k", *(f"        /*{0x10 * n:04x}*/                   {line} ;" for n, line in enumerate(lines))]


def found(*lines):
    return [(product, address) for _, product, address, _ in in_flight.scan(code(*lines))]


PRODUCT = "HGMMA.64x64x16.F32.BF16 R24, R4, gdesc[UR8], R24, gsb0"  # reads R4 to R7, sums in R24 to R55
WAIT = "WARPGROUP.DEPBAR.LE gsb0, 0x0"


class InFlight(unittest.TestCase):
    def test_operand(self):
        self.assertEqual(found(PRODUCT, "MOV R5, 0x3f803f80", WAIT), [("0000", "0010")])
        self.assertEqual(found(PRODUCT, "LDS.64 R6, [R2]", WAIT), [("0000", "0010")])

    def test_sums(self):
        self.assertEqual(found(PRODUCT, "@P0 FMUL R55, R55, R2", WAIT), [("0000", "0010")])

    def test_beside(self):
        self.assertEqual(found(PRODUCT, "MOV R8, R5", "STS [R5], R24", "FSETP.GT.AND P0, PT, R4, R24, PT", WAIT), [])
        self.assertEqual(found(PRODUCT, "LDS.64 R2, [R4]", "FMUL R56, R24, R2", WAIT), [])

    def test_after_the_wait(self):
        self.assertEqual(found(PRODUCT, WAIT, "MOV R5, R8", "FMUL R24, R24, R2"), [])

    def test_of_two_groups(self):
        second = "HGMMA.64x64x16.F32.BF16 R56, R12, gdesc[UR8], !UPT, gsb0"
        one_left = "WARPGROUP.DEPBAR.LE gsb0, 0x1"
        self.assertEqual(found(PRODUCT, second, one_left, "MOV R5, R8", "MOV R13, R8", WAIT), [("0010", "0040")])

    def test_operand_in_shared_memory(self):
        shared = "HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], !UPT, gsb0"
        self.assertEqual(found(shared, "MOV R4, R8", "MOV R30, R8"), [("0000", "0020")])

    def test_functions_apart(self):
        self.assertEqual(list(in_flight.scan([*code(PRODUCT), *code("MOV R5, R8")])), [])


if __name__ == "__main__":
    unittest.main()
