# what stands around the lines: ports, weights, states, symbols, the layout of a dynamic arena
--run-- ferrite inspect - --from wrap --stage c --isa baseline | sed '/^static int run/,/^}/d'
--in--
program tables
symbol s0 in [2, 64]
input  @x : bf16[s0,4] strides [4,1]
scalar "n" = s1
scalar "f" = float 0.5
const  @w : f32[4] strides [1]
state  @count : i64[] strides []
temp   @a.1 : f32[s0] strides [1]
temp   @a_1 : f32[s0,4] strides [4,1]
wrapper arena -1 bound -1 weights 128 kernels 1 calls 1
weight 0 @count at 0 bytes 8
weight 1 @w at 64 bytes 16
memory @a_1 output 0
symbol s0 = size 0 0
symbol s1 = input 1
alloc @a.1 live [0, 1) bytes 4*s0
free @a.1
kernel k_rows (@x, @count, @a_1) ints [] m 1 cost 100
output 0 @a_1[s0,4]{4,1}
output 1 int s1
--out--
/* ---- model.c ---- */
/* tables, made by ferrite 0.1 from -.
 *
 * 1 kernel calls, 1 distinct kernels; weights 128 bytes; arena -1 bytes, of which at most -1 live at once.
 */
#include "rt_program.h"


static const fe_port input_ports[] = {
    {.name = "x", .dtype = 13, .rank = 2, .sizes = (const int64_t[]){-1, 4}, .strides = (const int64_t[]){4, 1}, .shape_text = "[s0, 4]"},
    {.name = "n", .dtype = 5, .rank = 0, .sizes = (const int64_t[]){0}, .strides = (const int64_t[]){0}, .shape_text = "[]"},
    {.name = "f", .dtype = 8, .rank = 0, .sizes = (const int64_t[]){0}, .strides = (const int64_t[]){0}, .shape_text = "[]"},
    {0}};

static const fe_port output_ports[] = {
    {.name = "output_0", .dtype = 7, .rank = 2, .sizes = (const int64_t[]){-1, 4}, .strides = (const int64_t[]){4, 1}, .shape_text = "[s0, 4]"},
    {.name = "output_1", .dtype = 5, .rank = 0, .sizes = (const int64_t[]){0}, .strides = (const int64_t[]){0}, .shape_text = "[]"},
    {0}};

static const uint8_t late_outputs[] = {0, 0, 0};

static const rt_weight weight_table[] = {
    {"count", 0, 8, 0},
    {"w", 64, 16, 0},
    {0, 0, 0, 0}};

static const uint32_t state_table[] = {0, 0};

static const fe_port state_ports[] = {
    {.name = "count", .dtype = 5, .rank = 0, .sizes = (const int64_t[]){0}, .strides = (const int64_t[]){0}, .shape_text = "[]"},
    {0}};

/* Segment 0 of the arena: who lives when, in orders that are good whatever the sizes. See plan/replan.h. */
static const uint32_t first_0[] = {0, 1};
static const plan_stretch stretches_0[] = {
    {0, 1, 0, 1}, /* a_1 */
    {0}};
static const uint32_t members_0[] = {0};
static const uint32_t block_of_0[] = {0};
static const uint32_t orders_0[] = {
    0,
    0,
};
static const plan_template lives_0 = {
    .buffer_count = 1,
    .block_count = 1,
    .stretch_count = 1,
    .section_count = 1,
    .order_count = 2,
    .first = first_0,
    .stretches = stretches_0,
    .members = members_0,
    .block_of = block_of_0,
    .orders = orders_0,
};

static const uint32_t symbols_0[] = {0, 0};

static void sizes_0(const rt_segment *segment, const int64_t *symbols, int64_t *size, int64_t *shift)
{
    (void)segment;
    const int64_t s0 = symbols[0];
    (void)shift;
    size[0] = fe_times(4, s0); /* a_1 */
}

static const rt_segment segment_table[] = {
    {.lives = &lives_0, .sizes = sizes_0, .has_parts = 0, .symbols = symbols_0, .symbol_count = 1},
};


static const rt_symbol symbol_table[] = {
    {"s0", 2, 64},
    {"s1", 0, 9223372036854775807},
    {0, 0, 0}};

static const rt_program program = {
    .name = "tables",
    .inputs = input_ports,
    .input_count = 3,
    .outputs = output_ports,
    .output_count = 2,
    .late_outputs = late_outputs,
    .weights = weight_table,
    .weight_count = 2,
    .weights_bytes = 128,
    .weights_key = 0x668ea6f94c06ffbcull,
    .states = state_table,
    .state_ports = state_ports,
    .state_count = 1,
    .symbols = symbol_table,
    .symbol_count = 2,
    .arena_bytes = -1,
    .arena_lower_bound = -1,
    .segments = segment_table,
    .segment_count = 1,
    .kernel_calls = 1,
    .unique_kernels = 1,
    .step_count = 0,
    .run = run,
    .each_bytes = 0,
    .signature = "{\"name\": \"tables\", \"inputs\": [{\"name\": \"x\", \"kind\": \"tensor\", \"dtype\": 13, \"sizes\": [\"s0\", 4], \"strides\": [4, 1]}, {\"name\": \"n\", \"kind\": \"int\"}, {\"name\": \"f\", \"kind\": \"float\"}], \"outputs\": [{\"kind\": \"tensor\", \"dtype\": 7, \"sizes\": [\"s0\", 4], \"strides\": [4, 1]}, {\"kind\": \"int\"}], \"symbols\": [[\"s0\", 2, 64], [\"s1\", 0, null]], \"mutated\": []}",
    .isa = "baseline",
};

RT_ENTRY(ferrite_artifact, program)
