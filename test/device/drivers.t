# ferrite's own drivers of CUDA and Metal run on stand-ins of the libraries that they call (stand_in_cuda.c, stand_in_metal.c): programs with copies, buffers that change and inputs there, times of steps, an index that is out of range; no object of Metal is left
--skip-if-missing-- c++
--once--
--run-- { export SHIM_CACHE=$PWD STAND_IN_LOG=$PWD/log; mkdir cuda mps; for k in cuda metal; do ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include -DSHIM_FOLDER="\"$ROOT/test/device\"" $ROOT/test/device/stand_in_$k.c $ROOT/test/device/shim_[blm]*.c -o $k.so -lpthread; done; mv cuda.so cuda/libcuda.so.1; mv metal.so mps/Metal; ln -s Metal mps/libobjc.A.dylib; P=$ROOT/test/cases/programs; for d in cuda mps; do export LD_LIBRARY_PATH=$PWD/$d CUDA_NVRTC=$PWD/cuda/libcuda.so.1; echo $d; ferrite check --jobs 1 --device $d --device-ports $P/aliasing_outputs.pt2 $P/buffer_mutation.pt2 $P/dynamic_mlp.pt2; ferrite check --jobs 1 --device $d --target process $P/tiny_gpt2.pt2; ferrite run k.fx --device $d 2>&1; ferrite report $P/tiny_gpt2.pt2 --device $d -o r.html >/dev/null 2>&1 && grep -c ns r.html >/dev/null; echo $?; sort -u log; rm log; done; } 2>&1 | grep -v makecontext/swapcontext
--file k.fx--
graph main {
  %i = aten.arange.default(7) : i64[7]
  %r = aten.rand.default([4]) : f32[4]
  %b = aten.gt.Scalar(%r, 0.5) : bool[4]
  %e = aten.index.Tensor(%r, [%i]) : f32[7]
  output (user %e, user %b)
}
--out--
cuda
3 passed, 0 failed, 0 unsupported
1 passed, 0 failed, 0 unsupported
error: run: aten.index.Tensor (%e): index 4 is out of bounds for dimension 0 with size 4
0
loaded compute_75
made compute_75
mps
3 passed, 0 failed, 0 unsupported
1 passed, 0 failed, 0 unsupported
error: run: aten.index.Tensor (%e): index 4 is out of bounds for dimension 0 with size 4
0
0 objects are left
