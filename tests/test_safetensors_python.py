"""The file that tests/test_safetensors.c holds our writer against is one that Python reads."""
import pathlib
import tempfile
import unittest

import safetensors_reader

DATA = pathlib.Path(__file__).parent / "data"


class SafetensorsTest(unittest.TestCase):
    def test_sample_is_read(self):
        path = DATA / "sample.safetensors"
        metadata, tensors = safetensors_reader.read(path)
        self.assertEqual(metadata["checksum"], safetensors_reader.checksum(path))
        self.assertEqual(metadata["text"], 'a\tb\n"\\\x01\U0001f408')
        self.assertEqual(tensors['number "é\\"'], ("F64", [], [0.1]))
        self.assertEqual(tensors["floats"][:2], ("F32", [2, 3]))
        self.assertEqual(tensors["floats"][2][:5], [1, -2.5, 3, 4, 5])
        self.assertEqual(tensors["nothing"], ("F16", [0, 7], []))
        self.assertEqual(tensors["bytes"], ("I8", [3], [-1, 0, 127]))

    def test_a_breach_is_seen(self):
        content = (DATA / "sample.safetensors").read_bytes()
        changes = (content[:-1], content + b"\0", content.replace(b'"shape":[3]', b'"shape":[2]'))
        with tempfile.TemporaryDirectory() as folder:
            damaged = pathlib.Path(folder) / "damaged.safetensors"
            for change in changes:
                damaged.write_bytes(change)
                self.assertRaises(ValueError, safetensors_reader.read, damaged)


if __name__ == "__main__":
    unittest.main()
