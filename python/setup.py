"""Builds the wheel: make builds the library and the command, which lie in the package with the headers and examples."""

import os
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
CARRIED = [  # in the checkout, and in the package
    ("build/libferrite.so", "lib/libferrite.so"), ("build/ferrite", "bin/ferrite"), ("include", "include"),
    ("examples", "examples"), ("LICENSE", "LICENSE"),
]


def version():
    with open(os.path.join(ROOT, "include", "ferrite.h")) as header:
        return re.search(r'^#define FE_VERSION "(.*)"', header.read(), re.M)[1]


class Build(build_py):
    def run(self):
        super().run()
        subprocess.run(["make", "-C", ROOT, "all"], check=True)
        package = os.path.join(self.build_lib, "ferrite")
        for source, target in CARRIED:
            source, target = os.path.join(ROOT, source), os.path.join(package, target)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.isdir(source):
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copy2(source, target)


def least_glibc(path):
    """The minor number of the oldest glibc 2 that has all that a library or a program takes of it."""
    symbols = subprocess.run(["objdump", "-T", path], capture_output=True, text=True, check=True).stdout
    return max(int(number) for number in re.findall(r"GLIBC_2\.(\d+)", symbols))


class Wheel(bdist_wheel):
    """For any Python 3 on machines of this kind: the library is no extension module, and needs glibc and zlib alone."""

    def get_tag(self):
        platform = super().get_tag()[2]
        if platform.startswith("linux_"):
            oldest = max(least_glibc(os.path.join(ROOT, source)) for source, _ in CARRIED if source.startswith("build/"))
            platform = platform.replace("linux", f"manylinux_2_{oldest}", 1)
        return "py3", "none", platform


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), packages=["ferrite"], py_modules=["ferrite_fx", "ferrite_ops", "ferrite_runtime"],
      distclass=Binary, cmdclass={"build_py": Build, "bdist_wheel": Wheel})
