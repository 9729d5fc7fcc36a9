"""The library of preload/refuse.c, which refuses a program one of its system calls."""
import os
import pathlib
import platform
import subprocess

IS_POSSIBLE = platform.system() == "Linux" and platform.libc_ver()[0] == "glibc"
WHY_NOT = "the library to preload is written for glibc"


def build(folder):
    """Compiles the library into the folder; its path is for LD_PRELOAD."""
    library = str(folder / "refuse.so")
    source = pathlib.Path(__file__).parent / "preload" / "refuse.c"
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", library, str(source),
                    "-ldl"], check=True)
    return library
