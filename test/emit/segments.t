# the segments of the arena: one of constants; one whose buffers are parts and hand memory on; one without symbols in a size
--run-- ferrite inspect - --from wrap --stage c | sed -n '/^\/\* Segment/,/^static int run/p; /(arena\|segments\[/p'
--in--
program segments
symbol s0 in [1, 64]
input  @x : f32[s0,8] strides [8,1]
input  @n : i64[] strides []
temp   @a : f32[s0,8] strides [8,1]
temp   @b : f32[s0,8] strides [8,1]
temp   @c : f32[2*s0,8] strides [8,1]
temp   @d : f32[s0,8] strides [8,1]
temp   @e : f32[u0] strides [1]
temp   @f : f32[4] strides [1]
temp   @y : f32[4] strides [1]
part @a in @c at 0
part @b in @c at 8*s0
wrapper arena -1 bound -1 weights 0 kernels 0 calls 6
memory @a in @c
memory @b in @c at 8*s0
memory @y output 0
symbol s0 = size 0 0
alloc @a live [0, 3) bytes 32*s0
extern copy (@x[s0,8]{8,1}) -> (@a[s0,8]{8,1}) ints [0] floats []
alloc @b live [1, 3) bytes 32*s0
extern copy (@x[s0,8]{8,1}) -> (@b[s0,8]{8,1}) ints [0] floats []
alloc @c live [2, 5) bytes 64*s0
alloc @d live [2, 4) bytes 32*s0
extern copy (@c[s0,8]{16,1}) -> (@d[s0,8]{8,1}) ints [0] floats []
free @a
free @b
symbol u0 = @n[]{}
assert 0 <= u0 "a size"
place 1
alloc @e live [3, 6) segment 1 bytes 4*u0
extern copy (@d[u0]{1}) -> (@e[u0]{1}) ints [0] floats []
free @d
alloc @f live [4, 6) bytes 16
extern copy (@c[4]{1}) -> (@f[4]{1}) ints [0] floats []
free @c
extern copy (@f[4]{1}) -> (@y[4]{1}) ints [0] floats []
free @e
free @f
output 0 @y[4]{1}
--out--
/* Segment 0 of the arena: who lives when, in orders that are good whatever the sizes. See plan/replan.h. */
static const uint32_t first_0[] = {0, 2, 3, 4};
static const plan_stretch stretches_0[] = {
    {0, 1, 0, 3}, /* a b c */
    {1, 2, 3, 4}, /* c */
    {0, 1, 4, 5}, /* d */
    {1, 2, 5, 6}, /* f_ */
    {0}};
static const uint32_t members_0[] = {0, 1, 2, 2, 3, 4};
static const uint32_t block_of_0[] = {0, 0, 0, 1, 2};
static const uint32_t orders_0[] = {
    0, 2, 1,
    0, 1, 2,
};
static const plan_template lives_0 = {
    .buffer_count = 5,
    .block_count = 3,
    .stretch_count = 4,
    .section_count = 2,
    .order_count = 2,
    .first = first_0,
    .stretches = stretches_0,
    .members = members_0,
    .block_of = block_of_0,
    .orders = orders_0,
    .rule = 2,
};

static const uint32_t symbols_0[] = {0, 0};

static void sizes_0(const rt_segment *segment, const int64_t *symbols, int64_t *size, int64_t *shift)
{
    (void)segment;
    const int64_t s0 = symbols[0];
    size[0] = fe_times(32, s0); /* a */
    shift[0] = 0;
    size[1] = fe_times(32, s0); /* b */
    shift[1] = fe_times(32, s0);
    size[2] = fe_times(64, s0); /* c */
    shift[2] = 0;
    size[3] = fe_times(32, s0); /* d */
    shift[3] = 0;
    size[4] = 16; /* f_ */
    shift[4] = 0;
}

/* Segment 1 of the arena: who lives when, in orders that are good whatever the sizes. See plan/replan.h. */
static const uint32_t first_1[] = {0, 1, 2, 3, 4};
static const plan_stretch stretches_1[] = {
    {0, 2, 0, 1}, /* e */
    {0, 2, 1, 2}, /* c */
    {0, 1, 2, 3}, /* d */
    {1, 2, 3, 4}, /* f_ */
    {0}};
static const uint32_t members_1[] = {0, 1, 2, 3};
static const uint32_t block_of_1[] = {0, 1, 2, 3};
static const uint32_t orders_1[] = {
    0, 1, 3, 2,
    0, 1, 2, 3,
};
static const plan_template lives_1 = {
    .buffer_count = 4,
    .block_count = 4,
    .stretch_count = 4,
    .section_count = 2,
    .order_count = 2,
    .first = first_1,
    .stretches = stretches_1,
    .members = members_1,
    .block_of = block_of_1,
    .orders = orders_1,
    .rule = 2,
};

static const rt_held held_1[] = {
    {0, 2, 0}, /* c */
    {0, 3, 0}, /* d */
    {0, 4, 0}, /* f_ */
};

static const uint32_t symbols_1[] = {1, 0, 0};

static void sizes_1(const rt_segment *segment, const int64_t *symbols, int64_t *size, int64_t *shift)
{
    (void)segment;
    const int64_t u0 = symbols[1];
    const int64_t s0 = symbols[0];
    (void)shift;
    size[0] = fe_times(4, u0); /* e */
    size[1] = fe_times(64, s0); /* c */
    size[2] = fe_times(32, s0); /* d */
    size[3] = 16; /* f_ */
}

static const rt_segment segment_table[] = {
    {.lives = &lives_0, .sizes = sizes_0, .has_parts = 1, .symbols = symbols_0, .symbol_count = 1},
    {.lives = &lives_1, .sizes = sizes_1, .has_parts = 0, .symbols = symbols_1, .symbol_count = 2, .held = held_1, .held_count = 3},
};

static int run(rt_frame *f)
    char *const arena = f->segments[0].memory;
    float *const a = (void *)(arena + f->segments[0].offsets[0]);
    float *const b = (void *)(arena + f->segments[0].offsets[1]);
    float *const c = (void *)(arena + f->segments[0].offsets[2]);
    float *const d = (void *)(arena + f->segments[0].offsets[3]);
    float *const e = (void *)(f->segments[1].memory + f->segments[1].offsets[0]);
    float *const f_ = (void *)(arena + f->segments[0].offsets[4]);
