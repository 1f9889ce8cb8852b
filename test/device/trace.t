# a trace of a run: what the host did for each step, and what devices did by their own clocks (this one's counts steps): the host goes on while they work; what there is no trace of
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o delayed.so -lpthread; ferrite report two.fx --device privateuseone --devices ./delayed.so --trace t.json; sed -n 's/.*"tid": \([012]\), "ts": \([0-9.]*\), "dur": \([0-9.]*\), "name": "\([^"]*\)", "args": {"step": \([0-9]*\), .*/\1 \4 \2 \3/p' t.json >events; sed -n 's/.*\("tid".*\)/\1/p' t.json | head -3; awk '{print $1, $2, $1 ? $4 : ""}' events; awk '$2 == "c" {to = $3} $1 == 1 && $2 == "m" && $3 + $4 > to {print "the host sorts before the device has multiplied"}' events
--file two.fx--
graph main {
  placeholder %x user "x" : f32[256,256]
  placeholder %y user "y" : f32[512,1024]
  %a = aten.mm.default(%x, %x) : f32[256,256]
  %m = aten.mm.default(%a, %x) : f32[256,256]
  %c = aten.sort.default(%y) : (f32[512,1024], i64[512,1024])
  %v = _operator.getitem(%c, 0) : f32[512,1024]
  output (user %m, user %v)
}
--out--
wrote t.json
"tid": 1, "name": "thread_name", "args": {"name": "privateuseone"}},
"tid": 2, "name": "thread_name", "args": {"name": "privateuseone, copies"}},
"tid": 0, "name": "thread_name", "args": {"name": "host"}},
0 _to_copy 
0 a 
0 m 
0 c 
0 _to_copy_4 
1 a 65536.000
1 m 65536.000
2 _to_copy 262144.000
2 _to_copy_4 262144.000
the host sorts before the device has multiplied
--run-- ferrite report one.fx --trace t.json && sed 's/"ts": [0-9.]*, "dur": [0-9.]*/"ts": T, "dur": T/; s/_[0-9a-f]*"/"/' t.json
--file one.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.exp.default(%x) : f32[8,8]
  %c = aten.sort.default(%a) : (f32[8,8], i64[8,8])
  %v = _operator.getitem(%c, 0) : f32[8,8]
  output (user %v)
}
--out--
wrote t.json
{"displayTimeUnit": "ns", "traceEvents": [
{"ph": "M", "pid": 0, "tid": 0, "name": "thread_name", "args": {"name": "host"}},
{"ph": "X", "pid": 0, "tid": 0, "ts": T, "dur": T, "name": "a", "args": {"step": 0, "kernel": "k_exp", "source": ""}},
{"ph": "X", "pid": 0, "tid": 0, "ts": T, "dur": T, "name": "c", "args": {"step": 1, "kernel": "sort", "source": ""}}
]}
--run-- ferrite report one.fx 2>&1; ferrite report one.fx --quick --trace t.json 2>&1; ferrite report one.fx --trace t.json --sizes s0=3 2>&1; ferrite report one.fx --trace no/where.json 2>&1
--file one.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.exp.default(%x) : f32[8,8]
  output (user %a)
}
--out--
ferrite report: -o is missing: the page to write; or --trace
'ferrite help report' says more.
ferrite report: a trace is of a run, and with --quick there is none
'ferrite help report' says more.
ferrite report: a trace is of a run at the example's sizes: leave --sizes out
'ferrite help report' says more.
error: file: cannot write no/where.json: No such file or directory
--status-- 1
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o delayed.so -lpthread; ${FERRITE_TEST_CC:-cc} -I$ROOT/include host.c -o host -ldl && ferrite compile g.fx --device privateuseone --profile -o g.so --quiet && ./host
--file g.fx--
graph main {
  placeholder %x user "x" : f32[8]
  placeholder %i user "i" : i64[4]
  %e = aten.exp.default(%x) : f32[8]
  %g = aten.index.Tensor(%e, [%i]) : f32[4]
  output (user %g)
}
--file host.c--
#include "ferrite_abi.h"
#include "ferrite_device.h"

#include <dlfcn.h>
#include <stdio.h>

/* Runs: one that is traced; one that fails on the device; one with room for three events; one of no trace. */
int main(void)
{
    const fe_artifact *(*artifact)(void);
    const fe_device_driver *(*device)(void);
    *(void **)&artifact = dlsym(dlopen("./g.so", RTLD_NOW), "ferrite_artifact");
    *(void **)&device = dlsym(dlopen("./delayed.so", RTLD_NOW), "ferrite_device");
    const fe_artifact *a = artifact();
    fe_model *model;
    fe_context *context;
    if (a->open("./g.so", &model) || a->set_driver(model, device()) || a->context_new(model, 1, &context)) return 1;
    float x[8] = {0}, y[4];
    int64_t i[4] = {0, 1, 2, 3}, eight = 8, four = 4, one = 1;
    const fe_tensor in[2] = {{.data = x, .dtype = FE_F32, .rank = 1, .sizes = &eight, .strides = &one},
                             {.data = i, .dtype = FE_I64, .rank = 1, .sizes = &four, .strides = &one}};
    for (int k = 0; k < 4; k++) {
        fe_tensor out = {.data = y, .dtype = FE_F32, .rank = 1, .sizes = &four, .strides = &one};
        fe_event events[64];
        i[2] = k == 1 ? 99 : 2;
        a->trace(context, k == 3 ? NULL : events, k == 2 ? 3 : 64);
        int code = a->run(context, in, 2, &out, 1);
        printf("%d: %lld events, %s\n", code, (long long)a->trace(context, NULL, 0), code ? a->error(context) : "done");
    }
    a->context_free(context);
    a->close(model);
    return 0;
}
--out--
0: 10 events, done
4: 9 events, aten.index.Tensor (%g): index 99 is out of bounds for dimension 0 with size 8
0: 3 events, done
0: 3 events, done
