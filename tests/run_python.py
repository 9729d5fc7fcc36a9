"""Runs the unit tests that are written in Python (generators and scripts)."""
import pathlib
import sys
import unittest

here = pathlib.Path(__file__).parent
suite = unittest.defaultTestLoader.discover(str(here), pattern="test_*.py")
result = unittest.TextTestRunner(verbosity=1).run(suite)
sys.exit(0 if result.wasSuccessful() else 1)
