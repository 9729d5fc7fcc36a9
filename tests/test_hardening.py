"""The optimised program is linked and compiled as hardened as the Makefile promises."""
import pathlib
import platform
import shutil
import subprocess
import unittest

HEED = pathlib.Path(__file__).parent.parent / "build" / "release" / "heed"


@unittest.skipUnless(platform.system() == "Linux" and shutil.which("readelf"), "needs readelf")
class HardeningTest(unittest.TestCase):
    def readelf(self, *options):
        return subprocess.run(["readelf", "-W", *options, str(HEED)], check=True, text=True,
                              capture_output=True).stdout

    def test_program_is_position_independent(self):
        self.assertRegex(self.readelf("-h"), r"Type:\s+DYN")

    def test_relocations_are_read_only(self):
        self.assertIn("GNU_RELRO", self.readelf("-l"))
        self.assertRegex(self.readelf("-d"), r"BIND_NOW|Flags:.*NOW")

    def test_no_segment_is_writable_and_executable(self):
        for line in self.readelf("-l").splitlines():
            if line.strip().startswith(("LOAD", "GNU_STACK")):
                self.assertNotRegex(line, r"RWE")

    def test_stack_protector_and_checked_functions_are_used(self):
        symbols = self.readelf("--dyn-syms")
        self.assertIn("__stack_chk_fail", symbols)
        self.assertRegex(symbols, r"__\w+_chk\b")


if __name__ == "__main__":
    unittest.main()
