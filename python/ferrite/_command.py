"""The command `ferrite` of an installed package: the program that lies in it."""

import os
import sys


def main():
    binary = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "ferrite")
    os.execv(binary, ["ferrite", *sys.argv[1:]])
