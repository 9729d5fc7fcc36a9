"""Installing: what is put where, that a program of C and of C++ builds against it, the packages."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = TOP / "scripts/example.c"
VARIABLES = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "V", "ONLY", "CFLAGS", "LDFLAGS", "DESTDIR", "PREFIX")
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in VARIABLES}
FILES = ["bin/heed", "include/heed.h", "lib/libheed.a", "lib/libheed.so", "lib/libheed.so.0", "lib/pkgconfig/heed.pc",
         "share/man/man1/heed.1", "share/bash-completion/completions/heed", "share/zsh/site-functions/_heed",
         "share/doc/heed/LICENSE", "share/doc/heed/example.c"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=options.pop("env", ENVIRONMENT), **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def make(*words):
    return run("make", "-C", TOP, *words)


def symbols(path, *options):
    """The names a file defines for others."""
    lines = run("nm", "--defined-only", "--extern-only", *options, path).split("\n")
    return {line.split()[2].split("@")[0] for line in lines if len(line.split()) == 3} - {"HEED_0"}


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = pathlib.Path(cls.folder.name)
        cls.prefix = cls.here / "usr"
        make("install", f"PREFIX={cls.prefix}")
        cls.environment = dict(ENVIRONMENT, PKG_CONFIG_PATH=str(cls.prefix / "lib/pkgconfig"))
        (cls.here / "pairs.tsv").write_text("".join(f"a b {i}\tc d {i}\n" for i in range(200)))
        cls.model = cls.here / "m.safetensors"
        run(cls.prefix / "bin/heed", "train", "--train", cls.here / "pairs.tsv", "--model", cls.model, "--preset",
            "tiny", "--after", "30u", "--threads", "1", "--quiet", "--embedding", "16", "--hidden", "16",
            "--attention-size", "16", "--vocab-size", "280")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compiler(self, name):
        if shutil.which(name) is None:
            self.skipTest(f"there is no {name}")
        return name

    def pkg_config(self, *options):
        return run("pkg-config", *options, "heed", env=self.environment).split()

    def expect_translations(self, program, **environment):
        lines = ["a b 7", "", "b a \u6811"]
        expected = run(self.prefix / "bin/heed", "translate", "--model", self.model, "--", *lines)
        found = run(program, self.model, *lines, env=dict(ENVIRONMENT, **environment))
        self.assertEqual([line for line in found.split("\n") if not line.startswith("    ")], expected.split("\n"))
        found = run(program, self.model, input="\n".join(lines) + "\n", env=dict(ENVIRONMENT, **environment))
        self.assertEqual([line for line in found.split("\n") if not line.startswith("    ")], expected.split("\n"))

    def test_every_file_is_there_and_goes_again(self):
        root = self.here / "root"
        (root / "opt/heed/share/man").mkdir(parents=True)  # was there before and stays, though empty
        make("install", f"DESTDIR={root}", "PREFIX=/opt/heed")
        for name in FILES:
            self.assertTrue((root / "opt/heed" / name).exists(), name)
        self.assertIn("prefix=/opt/heed\n", (root / "opt/heed/lib/pkgconfig/heed.pc").read_text())
        make("uninstall", f"DESTDIR={root}", "PREFIX=/opt/heed")
        self.assertEqual(sorted(str(p.relative_to(root)) for p in root.rglob("*")),
                         ["opt", "opt/heed", "opt/heed/share", "opt/heed/share/man"])

    def test_libraries_show_the_public_names_alone(self):
        declared = set(re.findall(r"\b(heed_[a-z_]+)\(", (TOP / "src/heed.h").read_text()))
        self.assertEqual(symbols(self.prefix / "lib/libheed.so", "--dynamic"), declared)
        self.assertEqual(symbols(self.prefix / "lib/libheed.a"), declared)

    def test_the_example_is_short(self):
        self.assertLess(len(EXAMPLE.read_text().split("\n")), 60)

    def test_a_program_on_the_shared_library(self):
        program = self.here / "shared"
        run(self.compiler("cc"), "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", EXAMPLE, "-o", program,
            *self.pkg_config("--cflags", "--libs"))
        self.expect_translations(program, LD_LIBRARY_PATH=str(self.prefix / "lib"))

    def test_a_program_on_the_installed_archive(self):
        program = self.here / "archive"
        libraries = [word for word in self.pkg_config("--libs", "--static") if word != "-lheed"]
        run(self.compiler("cc"), EXAMPLE, "-o", program, *self.pkg_config("--cflags"), self.prefix / "lib/libheed.a",
            *libraries)
        self.expect_translations(program)

    def test_threads_of_a_program_share_a_model(self):
        program, model = self.here / "threads", self.here / "own.safetensors"
        run(self.compiler("cc"), "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread",
            TOP / "tests/installed_program.c", "-o", program, *self.pkg_config("--cflags", "--libs"))
        found = run(program, self.here / "pairs.tsv", model,
                    env=dict(ENVIRONMENT, LD_LIBRARY_PATH=str(self.prefix / "lib")))
        lines = b"a b 7\n\nb a \xe6\xa0\x91\na \xff b\na a a a\n"
        expected = subprocess.run([self.prefix / "bin/heed", "translate", "--model", model, "--quiet"], input=lines,
                                  capture_output=True, check=True).stdout.decode()
        self.assertEqual(found, expected)

    def test_a_program_on_what_make_leaves(self):
        libraries = run("pkg-config", "--libs", "openblas", "libutf8proc", "jansson", "zlib").split()
        for name in ("libheed.a", "libheed.so"):
            program = self.here / f"built-{name}"
            run(self.compiler("cc"), "-I", TOP / "src", EXAMPLE, TOP / "build" / name, *libraries, "-lm", "-pthread",
                "-o", program)
            self.expect_translations(program, LD_LIBRARY_PATH=str(TOP / "build"))

    def test_the_header_is_plain_c_and_cplusplus(self):
        source = self.here / "header.c"
        source.write_text('#include "heed.h"\n#include "heed.h"\nint main(void) { return heed_version()[0] == 0; }\n')
        for compiler, *options in (("cc", "-std=c99"), ("g++", "-x", "c++", "-std=c++11"), ("clang", "-std=c11")):
            if shutil.which(compiler):
                run(compiler, *options, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                    f"-I{self.prefix}/include", source)

    def test_the_manual_page(self):
        page = self.prefix / "share/man/man1/heed.1"
        if shutil.which("mandoc"):
            found = subprocess.run(["mandoc", "-T", "lint", "-W", "error", page], capture_output=True, text=True)
            self.assertEqual(found.stdout, "")
            text = run("mandoc", "-T", "utf8", page)
        elif shutil.which("man"):
            text = run("man", "-l", page)
        else:
            self.skipTest("there is neither mandoc nor man")
        text = re.sub(".\b", "", text)
        self.assertIn("--beam-size", text)
        self.assertIn("EXIT STATUS", text)

    def test_completion_in_bash(self):
        script = self.prefix / "share/bash-completion/completions/heed"

        def complete(*words):
            return run(self.compiler("bash"), "-c", f'source "{script}"; COMP_WORDS=("$@"); '
                       "COMP_CWORD=$(($# - 1)); _heed; echo ${COMPREPLY[*]}", "bash", *words).split()
        self.assertEqual(complete("heed", "tok"), ["tokenize"])
        self.assertEqual(complete("heed", "eval", "--hyp"), ["--hypothesis"])
        self.assertEqual(complete("heed", "eval", "--tokenize", ""), ["13a", "zh", "char", "none"])
        self.assertEqual(complete("heed", "translate", "--beam-size", ""), [])

    def test_completion_in_zsh(self):
        script = self.prefix / "share/zsh/site-functions/_heed"
        run(self.compiler("zsh"), "-n", script)

    def test_debian_packages(self):
        for tool in ("dpkg-deb", "dpkg-shlibdeps"):
            self.compiler(tool)
        packages = make("-s", "deb").split()
        self.assertEqual([pathlib.Path(p).name.split("_")[0] for p in packages], ["heed", "libheed0", "libheed-dev"])
        root = self.here / "debian"
        for package in packages:
            run("dpkg-deb", "--extract", TOP / package, root)
        self.assertIn("libmicrohttpd", run("dpkg-deb", "--field", TOP / packages[0], "Depends"))
        self.assertNotIn("microhttpd", run("dpkg-deb", "--field", TOP / packages[1], "Depends"))
        self.assertEqual(run(root / "usr/bin/heed", "--version"), run(self.prefix / "bin/heed", "--version"))
        for name in ("heed/copyright", "heed/changelog.gz", "libheed0/copyright", "libheed-dev/examples/example.c"):
            self.assertTrue((root / "usr/share/doc" / name).is_file(), name)

    def test_the_tarball(self):
        if not (TOP / ".git").exists():
            self.skipTest("this is no repository")
        name = make("-s", "dist").strip()
        inside = run("tar", "tzf", TOP / name).split("\n")
        top = pathlib.Path(name).name.removesuffix(".tar.gz")
        for path in ("Makefile", "src/heed.h", "src/serve/page.js", "scripts/install.mk", "LICENSE"):
            self.assertIn(f"{top}/{path}", inside)
        self.assertFalse([path for path in inside if "/build/" in path])


if __name__ == "__main__":
    unittest.main()
