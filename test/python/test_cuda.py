"""NVRTC, CUDA's compiler, takes the kernels of every case: each is made PTX, for an old and a new architecture; a program that is
compiled for two holds machine code of both. It needs no GPU, but libnvrtc.so: that of CUDA_NVRTC, of the system, or of a package
nvidia-cuda-nvrtc; where there is none, all is skipped."""
import ctypes
import ctypes.util
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ARCHITECTURES = ("compute_75", "compute_90")


def find_compiler():
    """The library, or None."""
    given = os.environ.get("CUDA_NVRTC")
    packaged = sorted(path for folder in sys.path for path in glob.glob(folder + "/nvidia/cu*/lib/libnvrtc.so.*"))
    for path in [given] if given else [ctypes.util.find_library("nvrtc"), *packaged]:
        try:
            return ctypes.CDLL(path) if path else None
        except OSError:
            continue
    return None


def make_ptx(nvrtc, source, architecture):
    """What the compiler says of it, or None where it is content."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None)
    options = [f"--gpu-architecture={architecture}".encode(), b"--fmad=false"]
    code = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return log.value.decode() or f"code {code}" if code else None


def made_ahead(nvrtc):
    """What is wrong with a program that was compiled for two architectures, or None."""
    with tempfile.TemporaryDirectory() as folder:
        case = os.path.join(ROOT, "test/cases/ops/long_rows.pt2")
        command = [os.path.join(ROOT, "build/ferrite"), "compile", case, "--device", "cuda", "--cuda-arch", "80,90", "--emit", "c"]
        environment = {**os.environ, "CUDA_NVRTC": nvrtc._name}
        done = subprocess.run([*command, "-o", folder + "/made"], capture_output=True, text=True, env=environment)
        if done.returncode:
            return done.stderr
        with open(folder + "/made/model.c") as file:
            source = file.read()
    images = dict(re.findall(r"/\* of (\w+) \*/\n[^{]*\{([^}]*)\}", source))
    starts = {name: bytes(int(byte) for byte in text.split(",")[:4]) for name, text in images.items()}
    expected = {"sm_80": b"\x7fELF", "sm_90": b"\x7fELF", "compute_90": b"//\n/"}
    return None if starts == expected else f"images: {starts}"


def main():
    nvrtc, passed, failed = find_compiler(), 0, 0
    if not nvrtc:
        print("0 passed, 0 failed, 1 skipped")
        return 0
    for number, path in enumerate(sorted(glob.glob(os.path.join(ROOT, "test/cases/*/*.pt2")))):
        command = [os.path.join(ROOT, "build/ferrite"), "inspect", path, "--stage", "device", "--device", "cuda"]
        source = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        said = make_ptx(nvrtc, source, ARCHITECTURES[number % len(ARCHITECTURES)])
        passed += said is None
        failed += said is not None
        if said:
            print(f"{os.path.basename(path)}: {said.splitlines()[0]}")
    said = made_ahead(nvrtc)
    passed += said is None
    failed += said is not None
    if said:
        print(f"made ahead: {said}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
