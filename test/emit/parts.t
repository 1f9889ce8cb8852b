# the parts of a program in each language: functions of their own in C, branches in Python, which a host may replace; modules in a graph;
# each kind of line has a text for each language here
--run-- ferrite inspect parts.wrap --from wrap --stage c | sed -n '/^static const fe_part/,/^    {0}};/p; /^static int replaced_0/,/^}/p; /^static int part_0(rt_frame .f)$/,/^}/p'
--file parts.wrap--
program parts
symbol s0 in [2, 64]
input  @x : f32[s0,8] strides [8,1]
const  @w : f32[8,8] strides [8,1]
temp   @a : f32[16,8] strides [8,1]
temp   @b : f32[16,8] strides [8,1]
temp   @y : f32[16,8] strides [8,1]
wrapper arena 1024 bound 1024 weights 256 kernels 2 calls 3
weight 0 @w at 0 bytes 256
memory @y output 0
symbol s0 = size 0 0
partition "first" reads [@x] makes [@b] constants [@w] symbols [s0]
alloc @b live [0, 5) at 512 bytes 512
alloc @a live [1, 3) at 0 bytes 512
kernel k_exp (@x, @w, @a) ints [s0] m 1 n 128 cost 100
kernel k_neg (@a, @b) ints [] m 1 n 128 cost 100
free @a
partition "last" reads [@b] makes [@y] ends [@b]
extern copy (@b[8,16]{1,8}) -> (@y[8,16]{16,1}) ints [0] floats []
free @b
output 0 @y[16,8]{8,1}
--out--
static const fe_part part_table[] = {
    {.name = "first", .inputs = part_inputs_0, .input_count = 1, .mutated_count = 0,
     .outputs = part_outputs_0, .output_count = 1, .symbols = part_names_0, .symbol_count = 1,
     .constants = part_names_0 + 1, .constant_count = 1, .can_be_replaced = 1},
    {.name = "last", .inputs = part_inputs_1, .input_count = 1, .mutated_count = 0,
     .outputs = part_outputs_1, .output_count = 1, .symbols = part_names_1, .symbol_count = 0,
     .constants = part_names_1 + 0, .constant_count = 0, .can_be_replaced = 1},
    {0}};
static int replaced_0(rt_frame *f)
{
    const int64_t s0 = f->symbols[0];
    (void)s0;
    char *const arena = f->segments[0].memory;
    (void)arena;
    float *const x = f->inputs[0];
    (void)x;
    float *const b = (void *)(arena + 512);
    (void)b;
    return rt_run_replacement(f, 0,
        (const fe_tensor[]){
            {x, 7, 2, (const int64_t[]){s0, 8}, (const int64_t[]){8, 1}},
            {0}},
        (fe_tensor[]){
            {b, 7, 2, (const int64_t[]){16, 8}, (const int64_t[]){8, 1}},
            {0}},
        (const int64_t[]){s0, 0});
}
static int part_0(rt_frame *f)
{
    const int64_t s0 = f->symbols[0];
    (void)s0;
    char *const arena = f->segments[0].memory;
    (void)arena;
    float *const x = f->inputs[0];
    (void)x;
    float *const w = f->weights[0];
    (void)w;
    if (rt_is_replaced(f, 0)) return replaced_0(f);
    float *const b = (void *)(arena + 512);
    (void)b;
    float *const a = (void *)(arena + 0);
    (void)a;
    RT_TRY(rt_launch(f, k_exp, &(fe_kernel_args){(void *const[]){x, w, a}, (const int64_t[]){s0}, 0}, 1, 128, 1, 100));
    RT_TRY(rt_launch(f, k_neg, &(fe_kernel_args){(void *const[]){a, b}, (const int64_t[]){0}, 0}, 1, 128, 1, 100));
    /* a ends here */
    return 0;
}
--run-- ferrite inspect parts.wrap --from wrap --stage python | sed -n '/^PARTS/,/^program/p'
--out--
PARTS = [("first", True), ("last", True)]


def lines(f):
    s0 = f.size(0, 0)
    f.check_range(0, 0, "s0", s0, 2, 64)
    f.check_size(0, 0, s0, "s0")
    arena = f.arena(0, 1024)
    x = f.input(0)
    w = f.weight(0)
    y = f.output_memory(0, 512)

    # partition "first" reads [@x] makes [@b] constants [@w] symbols [s0]
    if f.is_replaced(0):
        b = arena + 512
        f.run_replacement(0, [(x, rt.F32, (s0, 8), (8, 1))], [(b, rt.F32, (16, 8), (8, 1))], (s0,))
    else:
        b = arena + 512
        a = arena + 0
        f.launch(k_exp, (x, w, a,), (s0,), outer=1, inner=128, cost=100)
        f.launch(k_neg, (a, b,), (), outer=1, inner=128, cost=100)
        # a ends here

    # partition "last" reads [@b] makes [@y] ends [@b]
    if f.is_replaced(1):
        f.run_replacement(1, [(b, rt.F32, (16, 8), (8, 1))], [(y, rt.F32, (16, 8), (8, 1))], ())
    else:
        f.call(op_copy, [(b, rt.F32, (8, 16), (1, 8))],
               [(y, rt.F32, (8, 16), (16, 1))], ints=(0,))
        # b ends here
    f.returns(0, y, rt.F32, (16, 8), (8, 1))


program = rt.Program("parts", library, INPUTS, OUTPUTS, lines, WEIGHTS, 256, STATES, PARTS)
--run-- ferrite inspect parts.wrap --from wrap --stage graph | grep -o '"target": "[^"]*"'
--out--
"target": "x"
"target": "w"
"target": "s0"
"target": "library"
"target": "torch.empty_strided"
"target": "torch.empty_strided"
"target": "ferrite.kernel"
"target": "ferrite.kernel"
"target": "ferrite.delete"
"target": "output"
"target": "b"
"target": "y"
"target": "library"
"target": "ferrite.as_strided"
"target": "ferrite.as_strided"
"target": "ferrite.extern"
"target": "ferrite.delete"
"target": "output"
"target": "arg__0"
"target": "ferrite.input"
"target": "ferrite.same"
"target": "library"
"target": "ferrite.size"
"target": "ferrite.check_range"
"target": "ferrite.check_size"
"target": "weight_0"
"target": "ferrite.view"
"target": "torch.empty_strided"
"target": "part_0"
"target": "operator.getitem"
"target": "part_1"
"target": "ferrite.as_strided"
"target": "output"
--run-- for text in 'lines.t regions.t segments.t parts.t' 'python.t parts.t' 'graph.t parts.t'; do { sed -n 's/^WRAP([A-Z]*, *"\([a-z]*\)".*/\1/p' $ROOT/src/wrap/wrap.def; echo nothing; } | while read kind; do (cd $ROOT/test/emit && grep -q "^$kind\b" $text) || echo "$text: no line '$kind'"; done; done
--out--
lines.t regions.t segments.t parts.t: no line 'nothing'
python.t parts.t: no line 'nothing'
graph.t parts.t: no line 'nothing'
