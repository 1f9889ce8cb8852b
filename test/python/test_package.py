#!/usr/bin/env python3
"""The wheel that `pip install ./python` makes, installed in a folder of its own: the module, the command, the backend that
torch.compile finds by its name."""

import glob
import os
import platform
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

USE = """
import ferrite, torch
assert ferrite.__file__.startswith({folder!r}), ferrite.__file__
compiled = torch.compile(lambda x: x.relu() + 1, backend="ferrite", options={{"fallback": "error"}})
x = torch.randn(5)
torch.testing.assert_close(compiled(x), x.relu() + 1)
program = ferrite.compile(torch.export.export(torch.nn.Linear(3, 2), (torch.randn(4, 3),)))
print(ferrite.__version__, tuple(program(torch.randn(4, 3)).shape))
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation",
                        "--target", folder, os.path.join(ROOT, "python")], check=True)
        environment = {key: value for key, value in os.environ.items() if key != "FERRITE_LIBRARY"}
        environment["PYTHONPATH"] = folder
        said = subprocess.run([sys.executable, "-c", USE.format(folder=folder)], cwd=folder, env=environment,
                              check=True, capture_output=True, text=True).stdout.split()
        assert said[1:] == ["(4,", "2)"], said
        command = subprocess.run([os.path.join(folder, "bin", "ferrite"), "--version"], env=environment, check=True,
                                 capture_output=True, text=True).stdout
        assert said[0] in command, command
        assert os.path.exists(os.path.join(folder, "ferrite", "include", "ferrite_abi.h"))
        if platform.libc_ver()[0] == "glibc":  # and the wheel says what it needs of it
            with open(glob.glob(os.path.join(folder, "ferrite-*.dist-info", "WHEEL"))[0], encoding="utf-8") as wheel:
                assert "-manylinux_2_" in wheel.read()
            needed = subprocess.run(["ldd", os.path.join(folder, "ferrite", "bin", "ferrite")], check=True, capture_output=True, text=True).stdout
            assert "json" not in needed, needed
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
