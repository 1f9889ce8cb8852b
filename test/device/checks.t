# an index out of range on a device: the host hears of it when it waits, at the end of the run at the latest, the operator is named, nothing is read where nothing is, and what the program changes is as it was
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o delayed.so -lpthread; for t in process c; do ferrite run k.fx --device privateuseone --devices ./delayed.so --target $t; ferrite run k.fx --device privateuseone --device-ports --devices ./delayed.so --target $t; done
--status-- 1
--file k.fx--
graph main {
  placeholder %sum buffer "sum" : f32[4] data [100.0, 0.0, 0.0, 0.0]
  placeholder %x buffer "x" : f32[4,4] data [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]
  placeholder %i buffer "i" : i64[4] data [1, 3, 9, 2]
  %g = aten.index.Tensor(%x, [%i]) : f32[4,4]
  %e = aten.exp.default(%g) : f32[4,4]
  %a = aten.argmax.default(%e, 1) : i64[4]
  %k = aten.index_select.default(%g, 0, %a) : f32[4,4]
  %t = aten.sum.dim_IntList(%e, [0]) : f32[4]
  %n = aten.add.Tensor(%sum, %t) : f32[4]
  output (buffer_mutation "sum" %n, user %k)
}
--err--
error: run: aten.index.Tensor (%g): index 9 is out of bounds for dimension 0 with size 4
error: run: aten.index.Tensor (%g): index 9 is out of bounds for dimension 0 with size 4
error: run: aten.index.Tensor (%g): index 9 is out of bounds for dimension 0 with size 4
error: run: aten.index.Tensor (%g): index 9 is out of bounds for dimension 0 with size 4
--run-- ferrite inspect k.fx --device opencl --isa baseline --stage c | grep -A3 -E 'device_checks\[|rt_launch_on' | sed 's/\(k_[a-z_]*\)_[0-9a-f]* /\1 /'
--file k.fx--
graph main {
  placeholder %x user "x" : f32[8,4]
  placeholder %i user "i" : i64[4]
  %g = aten.index.Tensor(%x, [%i]) : f32[4,4]
  %k = aten.index_select.default(%x, 1, %i) : f32[8,4]
  output (user %g, user %k)
}
--out--
static const rt_check device_checks[] = {
    {0, 1, "aten.index.Tensor (%g)"},
    {1, 0, "aten.index_select.default (%k)"},
    {0, 0, 0}};
--
    RT_TRY(rt_launch_on(f, 1, 0 /* k_lt_add */, &(fe_kernel_args){(void *const[]){buf2, buf3, buf4}, (const int64_t[]){0}, &f->fault}, 3, 1, 4, 4));
    RT_TRY(rt_mark(f, 1, RT_KERNELS, 1));

    /* _to_copy_2 */
--
    RT_TRY(rt_launch_on(f, 1, 1 /* k_copy */, &(fe_kernel_args){(void *const[]){buf2, buf3, buf6}, (const int64_t[]){1}, &f->fault}, 3, 1, 8, 4));
    RT_TRY(rt_mark(f, 1, RT_KERNELS, 3));
    /* buf2 ends here */
    /* buf3 ends here */
