# kernels of CUDA that are made when a program is compiled: machine code for architectures that are named, PTX for what comes later, of the oldest where none is; the driver takes what fits the device best, else the source, and says what there is where nothing does; a stand-in for CUDA's libraries (stand_in_cuda.c) says what it makes and loads
--skip-if-missing-- c++
--once--
--run-- mkdir lib; ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include -DSHIM_FOLDER="\"$ROOT/test/device\"" $ROOT/test/device/stand_in_cuda.c $ROOT/test/device/shim_[blm]*.c -o lib/libcuda.so.1 -lpthread; export LD_LIBRARY_PATH=$PWD/lib STAND_IN_LOG=$PWD/log SHIM_CACHE=$PWD; N=$PWD/lib/libcuda.so.1; go() { "$@" --device cuda >/dev/null 2>said && cat log 2>/dev/null; sed '/swapcontext/d; s/, which would.*/.../' said; rm -f log; }; made() { echo "on sm_$1:"; STAND_IN_SM=$1 go ferrite run k.fx --target c --artifact ./m.so; }; echo compiled; CUDA_NVRTC=$N go ferrite compile k.fx -o m.so; made 75; made 90; made 70; echo compiled for two; CUDA_NVRTC=$N go ferrite compile k.fx -o m.so --cuda-arch 75,90; made 75; made 90; made 86; CUDA_NVRTC=$N made 86; made 120; echo compiled for none; CUDA_NVRTC=$N go ferrite compile k.fx -o m.so --cuda-arch none; CUDA_NVRTC=$N made 75; made 75; echo refused; CUDA_NVRTC=$N go ferrite compile k.fx -o m.so --cuda-arch 8.0; go ferrite compile k.fx -o m.so --cuda-arch 80
--file k.fx--
graph main {
  %r = aten.rand.default([4]) : f32[4]
  %e = aten.exp.default(%r) : f32[4]
  output (user %e)
}
--out--
compiled
made compute_75
on sm_75:
loaded compute_75
on sm_90:
loaded compute_75
on sm_70:
error: run: k: cuda: its kernels were made for compute_75, and this device is sm_70; libnvrtc.so...
compiled for two
made sm_75
made sm_90
made compute_90
on sm_75:
loaded sm_75
on sm_90:
loaded sm_90
on sm_86:
error: run: k: cuda: its kernels were made for sm_75, sm_90, compute_90, and this device is sm_86; libnvrtc.so...
on sm_86:
made compute_86
loaded compute_86
on sm_120:
loaded compute_90
compiled for none
on sm_75:
made compute_75
loaded compute_75
on sm_75:
error: run: k: cuda: there is no libnvrtc.so, which compiles kernels: the CUDA toolkit has it
refused
error: option: cuda-arch is none, or numbers of architectures as 80,90, not '8.0'
error: cc: cuda-arch: there is no libnvrtc.so
  help: the CUDA toolkit has it; $CUDA_NVRTC may say where it is
