// SPDX-License-Identifier: Apache-2.0
// Compiled code beside the interpreter: all of tests/ptx that the tier takes, and
// kernels as people write them (tests/fixtures/tier), with three shapes of blocks and
// with integers, floats and random bits: not one byte differs. One file of EACH, or
// all where TIER_ALL is set (`make test-tier`), for this processor or TIER_CPU. Arrays end where a page begins that
// nobody may touch. Skips where there is no libLLVM.
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/ptx_case.h"
#include "tests/unit/tier_there.h"

static const struct gpu_backend *const back = &gpu_virtual_backend;

static void check(enum err err, const struct err_info *e, const char *what) {
  if (err)
    fail_msg("%s: %s: %s", what, err_kind(err), e->text);
}

// ---- Two devices: one compiles all that it can ----

struct both {
  // The second for this processor, or TIER_CPU; the third for the least of its kind.
  struct gpu_device *plain, *tier, *narrow;
  int compiled, bailed, refused;
  int checked; // of those that ran compiled
};

// For the processor `cpu`, as LLVM calls it; NULL: for this one.
static struct gpu_device *open_device(const char *tier, const char *cpu) {
  struct gpu_device *d;
  struct err_info e;
  setenv("WARPSHOP_TIER", tier, 1);
  setenv("WARPSHOP_TIER_CPU", cpu ? cpu : "", 1);
  check(back->open(0, NULL, &d, &e), &e, "open");
  return d;
}

static void open_both(struct both *x) {
#ifdef __aarch64__
  static const char least[] = "generic"; // NEON alone
#else
  static const char least[] = "x86-64-v3"; // AVX2 and FMA
#endif
  x->plain = open_device("0", NULL);
  x->tier = open_device("always", getenv("TIER_CPU"));
  x->narrow = open_device("always", least);
  unsetenv("WARPSHOP_TIER_CPU");
  setenv("WARPSHOP_TIER", "0", 1);
}

static void close_both(struct both *x) {
  back->close(x->plain);
  back->close(x->tier);
  back->close(x->narrow);
}

// The worker has said by the first launch whether there is an LLVM.
static bool has_llvm(const struct both *x) {
  return tier_is_there(x->tier);
}

// ---- Numbers ----

enum kind { INTEGERS, FLOATS, BITS, KINDS };

static uint64_t random_bits(uint64_t *state) {
  *state =
      *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 32 ^ *state << 19;
}

static uint32_t number(uint64_t *state, enum kind kind) {
  static const uint32_t special[] = {
      0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFFA00003,
      1, 0x7FFFFFFF, 0xFFFFFFFF, 0x3F800000, 0x00800000, 0x7F7FFFFF};
  uint64_t r = random_bits(state);
  if (r % 16 == 3)
    return special[r / 16 % (sizeof special / sizeof *special)];
  float f = (float)(int64_t)(r % 20001) / 100 - 100;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return kind == INTEGERS ? (uint32_t)(r % 64)
         : kind == FLOATS ? bits
                          : (uint32_t)r;
}

// ---- Arrays ----

struct array {
  uint8_t *pages, *at; // which ends at the last page
  size_t all;
};

static struct array new_array(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct array a = {.all = (bytes + page - 1) / page * page + page};
  a.pages = mmap(NULL, a.all, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(a.pages != MAP_FAILED);
  a.at = a.pages + a.all - page - bytes;
  assert_int_equal(mprotect(a.at + bytes, page, PROT_NONE), 0);
  return a;
}

// ---- One launch ----

enum { MOST_ARRAYS = 5 };

struct launch {
  const char *text, *name;
  size_t text_bytes;
  uint32_t grid[3], block[3], shared_bytes;
  int arrays; // addresses first, then one number `n`
  size_t words[MOST_ARRAYS];
  int n;
  bool has_float; // 2.0f before the arrays
  bool is_checked;
  enum kind kind[MOST_ARRAYS];
  uint32_t mask; // of integers, where addresses are made of them
};

struct result {
  enum err err;
  char *words; // of all arrays, one behind the other
  size_t bytes;
  struct gpu_finding findings[8];
  int finding_count;
  uint64_t work;  // that it was charged
  bool is_proven; // it was checked, and ran compiled to its end
};

static void fill(const struct launch *l, int array, uint32_t *words) {
  uint64_t state = 77 + (uint64_t)array;
  for (size_t n = 0; n < l->words[array]; n++) {
    words[n] = number(&state, l->kind[array]);
    if (l->mask)
      words[n] &= l->mask;
  }
}

static size_t pack(const struct launch *l, const gpu_ptr *at, uint8_t *params) {
  float two = 2;
  size_t bytes = 0;
  if (l->has_float) {
    memcpy(params, &two, sizeof two);
    bytes = 8;
  }
  memcpy(params + bytes, at, sizeof *at * (size_t)l->arrays);
  bytes += sizeof *at * (size_t)l->arrays;
  memcpy(params + bytes, &l->n, sizeof l->n);
  return bytes + 8;
}

static void wait_for(struct gpu_device *d, struct result *r) {
  struct err_info e;
  while ((r->err = back->poll(d, GPU_ALL_STREAMS, &e)) == ERR_NOT_READY)
    ;
}

static void copy_all(const struct launch *l, const struct array *arrays,
                     struct result *r) {
  size_t offset = 0;
  for (int n = 0; n < l->arrays; n++)
    r->bytes += l->words[n] * 4;
  r->words = xcalloc(1, r->bytes + 1);
  for (int n = 0; n < l->arrays; n++) {
    memcpy(r->words + offset, arrays[n].at, l->words[n] * 4);
    offset += l->words[n] * 4;
  }
}

// Since the last time.
static uint64_t take_work(struct gpu_device *d) {
  struct gpu_work all;
  struct err_info e;
  check(back->work(d, &all, &e), &e, "work");
  return all.all;
}

// What is known of the kernel in that shape; NULL before its first launch. A module's
// text is loaded once.
static const struct vg_tier_kernel *
kernel_of(struct gpu_device *d, gpu_handle function, const struct launch *l) {
  const struct vg_tier_kernel *k =
      vg_own(d)->functions[function - 1].code->tier;
  while (k && (memcmp(k->shape, l->block, sizeof k->shape) != 0 ||
               k->is_checked != l->is_checked))
    k = k->next;
  return k;
}

static struct result run(struct gpu_device *d, const struct launch *l,
                         struct both *count) {
  struct result r = {0}, last = {0};
  struct err_info e;
  gpu_handle module, kernel;
  gpu_ptr at[MOST_ARRAYS];
  struct array arrays[MOST_ARRAYS];
  uint8_t params[128] = {0};
  check(back->module_load(d, l->text, l->text_bytes, &module, &e), &e, l->name);
  check(back->function_get(d, module, l->name, &kernel, NULL, &e), &e, l->name);
  for (int n = 0; n < l->arrays; n++) {
    size_t bytes = l->words[n] * 4;
    arrays[n] = new_array(bytes);
    fill(l, n, (uint32_t *)arrays[n].at);
    check(back->host_map(d, arrays[n].at, bytes, &at[n], &e), &e, "memory");
  }
  struct gpu_launch g = {.function = kernel,
                         .shared_bytes = l->shared_bytes,
                         .flags = l->is_checked ? 0 : GPU_LAUNCH_UNCHECKED,
                         .params = params,
                         .param_bytes = (uint32_t)pack(l, at, params)};
  memcpy(g.grid, l->grid, sizeof g.grid);
  memcpy(g.block, l->block, sizeof g.block);
  const struct vg_tier_kernel *k = kernel_of(d, kernel, l);
  uint32_t finished = k ? k->finished : 0, bails = k ? k->bails : 0;
  take_work(d);
  enum err err = back->launch(d, &g, &e);
  check(err, &e, l->name);
  wait_for(d, &r);
  r.work = take_work(d);
  r.finding_count = back->findings(d, r.findings, 8);
  copy_all(l, arrays, &r);
  k = kernel_of(d, kernel, l);
  r.is_proven = k && l->is_checked && k->finished > finished;
  if (count && k) {
    bool has_run = k->code.run != NULL;
    count->compiled += k->finished > finished;
    count->checked += r.is_proven;
    count->bailed += k->bails > bails;
    count->refused += !has_run;
    if (!has_run && getenv("TIER_TELL"))
      printf("# %s: %s\n", l->name, k->why);
    if (!has_run && strstr(k->why, "error:"))
      fail_msg("%s: LLVM says %s", l->name, k->why);
  }
  for (int n = 0; n < l->arrays; n++)
    back->mem_free(d, at[n], &e);
  wait_for(d, &last);
  for (int n = 0; n < l->arrays; n++)
    munmap(arrays[n].pages, arrays[n].all);
  back->module_unload(d, module, &e);
  return r;
}

static void compare_findings(const struct result *a, const struct result *b,
                             const char *what) {
  if (a->err != b->err || a->finding_count != b->finding_count)
    fail_msg("%s: %s and %d findings, by the tier %s and %d", what,
             err_kind(a->err), a->finding_count, err_kind(b->err),
             b->finding_count);
  for (int n = 0; n < a->finding_count; n++) {
    const struct gpu_finding *x = &a->findings[n], *y = &b->findings[n];
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->at.line, y->at.line);
    assert_int_equal(x->count, y->count);
    assert_memory_equal(x->at.block, y->at.block, sizeof x->at.block);
    assert_memory_equal(x->at.thread, y->at.thread, sizeof x->at.thread);
    assert_string_equal(x->text, y->text);
  }
}

// How many bytes differ: none.
static void compare_words(const struct result *right, const struct result *got,
                          const char *what) {
  compare_findings(right, got, what);
  for (size_t n = 0; !right->err && n < right->bytes; n++)
    if (right->words[n] != got->words[n]) {
      uint32_t want = 0, is = 0;
      memcpy(&want, right->words + n / 4 * 4, 4);
      memcpy(&is, got->words + n / 4 * 4, 4);
      fail_msg("%s: word %zu is 0x%x, and 0x%x by the tier", what, n / 4, want,
               is);
    }
}

// A launch that ran compiled is charged what the interpreter would charge at least, but
// for the pages that it keeps; else it could end where that stops for its budget.
static void compare_work(const struct result *right, const struct result *got,
                         const char *what) {
  enum { PAGE = 4096, PAGE_COST = 4096, ARRAYS = MOST_ARRAYS };
  uint64_t pages = right->bytes / PAGE + ARRAYS;
  if (!got->is_proven)
    return;
  if (got->work + pages * PAGE_COST < right->work)
    fail_msg("%s: was charged %llu, by the tier %llu", what,
             (unsigned long long)right->work, (unsigned long long)got->work);
  if (getenv("TIER_TELL"))
    printf("# %s: charged %.2f times as much\n", what,
           (double)got->work / (double)right->work);
}

static void run_both(struct both *x, const struct launch *l) {
  char what[160];
  snprintf(what, sizeof what, "%s in blocks of %u x %u%s, numbers of kind %d",
           l->name, l->block[0], l->block[1], l->is_checked ? ", checked" : "",
           (int)l->kind[0]);
  struct result right = run(x->plain, l, NULL), got = run(x->tier, l, x);
  compare_words(&right, &got, what);
  compare_work(&right, &got, what);
  free(got.words);
  if (l->is_checked) {
    free(right.words);
    return;
  }
  got = run(x->narrow, l, NULL);
  compare_words(&right, &got, what);
  free(right.words);
  free(got.words);
}

// ---- tests/ptx ----

static const uint32_t shapes[][3] = {{32, 1, 1}, {48, 1, 1}, {64, 1, 1}};

static struct both b;

static void run_file(void **state) {
  if (!has_llvm(&b))
    skip();
  int refused = b.refused;
  struct ptx_case *c = xcalloc(1, sizeof *c);
  struct err_info e;
  check(ptx_case_read(*state, c, &e), &e, *state);
  if (c->texture.is_there || c->error[0]) {
    ptx_case_free(c);
    return;
  }
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int kind = 0; kind < KINDS; kind++) {
      struct launch l = {.text = c->text,
                         .text_bytes = c->bytes,
                         .name = "test",
                         .grid = {1, 1, 1},
                         .arrays = 2,
                         .kind = {(enum kind)kind, INTEGERS}};
      memcpy(l.block, shapes[s], sizeof l.block);
      l.words[0] = (size_t)c->inputs * 2 * l.block[0];
      l.words[1] = (size_t)c->outputs * 2 * l.block[0];
      run_both(&b, &l);
      if (b.refused > refused)
        break;
      if (s == 1) {
        l.is_checked = true;
        run_both(&b, &l);
        refused = b.refused;
      }
    }
  ptx_case_free(c);
}

// ---- Kernels as people write them ----

struct kernel {
  const char *name;
  uint32_t grid[2], block[2];
  int n, arrays;
  size_t words[MOST_ARRAYS];
  enum kind kind[MOST_ARRAYS];
  bool has_float, may_refuse;
  bool is_proven; // it runs compiled when it is checked, too
};

static const struct kernel kernels[] = {
    {"naive",
     {3, 5},
     {16, 16},
     40,
     3,
     {1600, 1600, 1600},
     {FLOATS, FLOATS, FLOATS},
     .is_proven = true},
    {"naive",
     {2, 3},
     {24, 8},
     40,
     3,
     {1600, 1600, 1600},
     {BITS, FLOATS, FLOATS},
     .is_proven = true},
    {"naive",
     {5, 9},
     {10, 5},
     43,
     3,
     {1849, 1849, 1849},
     {FLOATS, BITS, FLOATS},
     .is_proven = true},
    // Threads that leave their array: the interpreter says which.
    {"naive",
     {3, 3},
     {16, 16},
     44,
     3,
     {1600, 1600, 1600},
     {FLOATS, FLOATS, FLOATS},
     .may_refuse = true},
    {"spmv",
     {2, 1},
     {256, 1},
     500,
     5,
     {501, 64, 64, 64, 500},
     {INTEGERS, INTEGERS, FLOATS, FLOATS, FLOATS},
     .may_refuse = true},
    {"tiled",
     {4, 4},
     {16, 16},
     64,
     3,
     {4096, 4096, 4096},
     {FLOATS, FLOATS, FLOATS},
     .is_proven = true},
    {"reduce",
     {9, 1},
     {256, 1},
     2201,
     2,
     {2304, 9},
     {FLOATS, FLOATS},
     .is_proven = true},
    {"nbody",
     {2, 1},
     {256, 1},
     512,
     2,
     {2048, 1536},
     {FLOATS, FLOATS},
     .is_proven = true},
    {"bitonic",
     {3, 1},
     {256, 1},
     768,
     2,
     {768, 768},
     {BITS, BITS},
     .is_proven = true},
    {"radix",
     {3, 1},
     {256, 1},
     768,
     2,
     {768, 768},
     {BITS, BITS},
     .is_proven = true},
    {"scan",
     {3, 1},
     {256, 1},
     768,
     2,
     {768, 768},
     {FLOATS, FLOATS},
     .is_proven = true},
    {"stencil2d",
     {4, 4},
     {16, 16},
     64,
     2,
     {4096, 4096},
     {FLOATS, BITS},
     .is_proven = true},
    {"stencil3d",
     {1, 128},
     {32, 8},
     32,
     2,
     {32768, 32768},
     {FLOATS, FLOATS},
     .is_proven = true},
    {"convolution",
     {4, 4},
     {16, 16},
     64,
     3,
     {4096, 25, 4096},
     {FLOATS, FLOATS, FLOATS},
     .is_proven = true},
    {"fft",
     {3, 1},
     {128, 1},
     768,
     3,
     {1536, 256, 1536},
     {FLOATS, FLOATS, FLOATS},
     .is_proven = true},
    {"search",
     {3, 1},
     {256, 1},
     768,
     3,
     {192, 2, 192},
     {INTEGERS, INTEGERS, BITS},
     .is_proven = true},
    {"flag", {3, 1}, {256, 1}, 700, 2, {768, 1}, {BITS, INTEGERS}},
    {"mandelbrot",
     {4, 4},
     {16, 16},
     64,
     2,
     {2, 4096},
     {FLOATS, BITS},
     .is_proven = true},
    {"transpose",
     {2, 2},
     {32, 8},
     64,
     2,
     {4096, 4096},
     {BITS, BITS},
     .is_proven = true},
    {"histogram",
     {2, 1},
     {256, 1},
     768,
     2,
     {768, 256},
     {BITS, INTEGERS},
     .is_proven = true},
    {"saxpy",
     {3, 1},
     {256, 1},
     700,
     2,
     {768, 768},
     {FLOATS, FLOATS},
     .has_float = true,
     .may_refuse = true},
};

static char *fixture;
static size_t fixture_bytes;

static void run_kernels(void **state) {
  (void)state;
  int wanted = 0;
  for (size_t n = 0; n < sizeof kernels / sizeof *kernels; n++) {
    const struct kernel *k = &kernels[n];
    struct launch l = {.text = fixture,
                       .text_bytes = fixture_bytes,
                       .name = k->name,
                       .grid = {k->grid[0], k->grid[1], 1},
                       .block = {k->block[0], k->block[1], 1},
                       .n = k->n,
                       .arrays = k->arrays,
                       .has_float = k->has_float};
    memcpy(l.words, k->words, sizeof l.words);
    memcpy(l.kind, k->kind, sizeof l.kind);
    run_both(&b, &l);
    if (!has_llvm(&b))
      skip();
    wanted += !k->may_refuse;
    if (b.compiled < wanted)
      fail_msg("%s did not run as compiled code", k->name);
    int checked = b.checked;
    l.is_checked = true;
    run_both(&b, &l);
    if (b.checked == checked && k->is_proven)
      fail_msg("%s did not run as compiled code when checked", k->name);
    wanted = b.compiled;
  }
}

// ---- Where a thread is ----

// Each thread of a block says where it is, before a barrier and behind it.
static const char places[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry places(.param .u64 p0, .param .u32 n) {\n"
    ".reg .b32 %r<20>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd0, [p0];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;\n"
    "mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mov.u32 %r5, %ntid.z;\n"
    "mov.u32 %r6, %ctaid.x; mov.u32 %r7, %laneid; mov.u32 %r8, %warpid;\n"
    "mad.lo.u32 %r9, %r2, %r4, %r1; mad.lo.u32 %r9, %r9, %r3, %r0;\n"
    "mul.lo.u32 %r10, %r3, %r4; mul.lo.u32 %r10, %r10, %r5;\n"
    "mad.lo.u32 %r9, %r6, %r10, %r9;\n"
    "shl.b32 %r1, %r1, 10; shl.b32 %r2, %r2, 20;\n"
    "or.b32 %r0, %r0, %r1; or.b32 %r0, %r0, %r2;\n"
    "mul.wide.u32 %rd1, %r9, 16; add.u64 %rd0, %rd0, %rd1;\n"
    "st.global.u32 [%rd0], %r0; st.global.u32 [%rd0+4], %r7;\n"
    "bar.sync 0;\n"
    "mov.u32 %r11, %tid.y; mad.lo.u32 %r11, %r11, 1000, %r0;\n"
    "st.global.u32 [%rd0+8], %r11; st.global.u32 [%rd0+12], %r8;\n"
    "ret;\n}\n";

static void run_places(void **state) {
  (void)state;
  static const uint32_t blocks[][3] = {
      {16, 4, 3}, {32, 2, 4}, {64, 2, 2}, {48, 3, 2}, {40, 2, 2},  {8, 5, 3},
      {10, 3, 3}, {7, 1, 1},  {1, 1, 64}, {16, 1, 5}, {100, 1, 1}, {96, 1, 2}};
  for (size_t n = 0; n < 2 * sizeof blocks / sizeof *blocks; n++) {
    const uint32_t *shape = blocks[n / 2];
    struct launch l = {.text = places,
                       .text_bytes = sizeof places - 1,
                       .name = "places",
                       .grid = {2, 1, 1},
                       .block = {shape[0], shape[1], shape[2]},
                       .arrays = 1,
                       .words = {shape[0] * shape[1] * shape[2] * 8},
                       .is_checked = n % 2};
    int compiled = b.compiled;
    run_both(&b, &l);
    if (!has_llvm(&b))
      skip();
    if (b.compiled == compiled)
      fail_msg("blocks of %u x %u x %u did not run compiled", shape[0],
               shape[1], shape[2]);
  }
}

// ---- Functions ----

// Each thread makes 16 words: of n + i, or i times a number, as a float's bits.
#define EACH_FLOAT(name, word, function)                                       \
  ".visible .entry " name "(.param .u64 p0, .param .u32 n) {\n"                \
  ".reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<9>; .reg .pred %p0;\n"      \
  "ld.param.u64 %rd0, [p0]; ld.param.u32 %r0, [n];\n"                          \
  "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"        \
  "shl.b32 %r4, %r3, 4; mad.lo.u32 %r1, %r2, %r4, %r1; mov.u32 %r5, 0;\n"      \
  "more: " word "mov.b32 %f0, %r6; " function                                  \
  "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1;\n"                     \
  "st.global.f32 [%rd2], %f1; add.u32 %r1, %r1, %r3; add.u32 %r5, %r5, 1;\n"   \
  "setp.lt.u32 %p0, %r5, 16; @%p0 bra more; ret;\n}\n"
#define SOME "mul.lo.u32 %r6, %r1, 4099; "
// Another float.
#define OTHER                                                                  \
  "mul.lo.u32 %r7, %r1, 40503; xor.b32 %r7, %r7, %r6; mov.b32 %f2, %r7;\n"

static const char functions[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n" EACH_FLOAT(
        "root", "add.u32 %r6, %r0, %r1; ", "rsqrt.approx.f32 %f1, %f0;\n")
        EACH_FLOAT("root_of_some", "mul.lo.u32 %r6, %r1, 257; ",
                   "rsqrt.approx.f32 %f1, %f0;\n")
            EACH_FLOAT("power", SOME, "ex2.approx.f32 %f1, %f0;\n") EACH_FLOAT(
                "power_flushed", SOME, "ex2.approx.ftz.f32 %f1, %f0;\n")
                EACH_FLOAT("saturated", SOME, "cvt.sat.f32.f32 %f1, %f0;\n")
    // Any three numbers; what is left of a product; and of a number nothing.
    EACH_FLOAT("down", SOME,
               OTHER "mul.f32 %f3, %f2, 0f3F000001;\n"
                     "fma.rm.f32 %f1, %f0, %f2, %f3;\n")
        EACH_FLOAT("down_tiny", SOME,
                   "and.b32 %r6, %r6, 0x80FFFFFF; or.b32 %r6, %r6, 0x0D000000; "
                   "mov.b32 %f0, %r6; mov.f32 %f2, 0f0D800001; mov.f32 %f3, "
                   "0f80000000; fma.rm.f32 %f1, %f0, %f2, %f3;\n")
            EACH_FLOAT("down_left", SOME,
                       OTHER "mul.f32 %f3, %f0, %f2; neg.f32 %f3, %f3;\n"
                             "fma.rm.f32 %f1, %f0, %f2, %f3;\n")
                EACH_FLOAT("down_near", SOME,
                           OTHER
                           "shr.u32 %r7, %r6, 9; or.b32 %r7, %r7, "
                           "0x3F800000; mov.b32 %f2, %r7; neg.f32 %f3, %f0;\n"
                           "fma.rm.f32 %f1, %f0, %f2, %f3;\n")
                    EACH_FLOAT("down_none", SOME,
                               "neg.f32 %f3, %f0; mov.f32 %f2, 0f3F800000;\n"
                               "fma.rm.f32 %f1, %f0, %f2, %f3;\n")
                        EACH_FLOAT(
                            "down_zero", SOME,
                            "and.b32 %r6, %r6, 0x80000000; mov.b32 %f0, "
                            "%r6; and.b32 %r7, %r1, 1; shl.b32 %r7, %r7, "
                            "31; mov.b32 %f3, %r7; mov.f32 %f2, 0f3F800000; "
                            "fma.rm.f32 %f1, %f0, %f2, %f3;\n");

// All floats from 1 to 4, which are all that there are of roots but for a power of 4;
// and some of all others. By both processors.
static void run_functions(void **state) {
  (void)state;
  enum { FEW = 1 << 20, ALL = 1 << 24, EACH = 256 * 16 };
  static const char *const names[] = {
      "root",      "root_of_some", "power",     "power_flushed",
      "saturated", "down",         "down_left", "down_near",
      "down_none", "down_zero",    "down_tiny"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    uint32_t count = n < 2 ? ALL : FEW;
    struct launch l = {.text = functions,
                       .text_bytes = sizeof functions - 1,
                       .name = names[n],
                       .grid = {count / EACH, 1, 1},
                       .block = {256, 1, 1},
                       .arrays = 1,
                       .words = {count},
                       .n = 0x3F800000};
    int compiled = b.compiled;
    run_both(&b, &l);
    if (!has_llvm(&b))
      skip();
    if (b.compiled == compiled)
      fail_msg("%s did not run compiled", l.name);
    l.is_checked = true;
    if (n >= 2)
      run_both(&b, &l);
  }
}

// Those in which lanes part, and one of EACH others; of TIER_ALL=1/6 the second of six
// parts, for a machine that takes too long for all of them.
static bool is_chosen(size_t n, const char *path) {
  enum { EACH = 32 };
  const char *all = getenv("TIER_ALL");
  size_t part, parts;
  if (all && sscanf(all, "%zu/%zu", &part, &parts) == 2 && parts)
    return n % parts == part % parts; // not none, of 6/6
  return all || n % EACH == 0 || strstr(path, "/lanes_");
}

int main(void) {
  glob_t files;
  struct err_info e;
  char *folder = file_own("tests/ptx");
  char *pattern = xasprintf("%s/*.ptx", folder ? folder : "tests/ptx");
  char *made = xasprintf("%s/made/*.ptx", folder ? folder : "tests/ptx");
  char *own =
      xasprintf("%s/../fixtures/tier.ptx", folder ? folder : "tests/ptx");
  if (glob(pattern, 0, NULL, &files) != 0 ||
      glob(made, GLOB_APPEND, NULL, &files) != 0 ||
      file_read(own, 1 << 20, &fixture, &fixture_bytes, &e))
    return 1;
  struct CMUnitTest *tests = xcalloc(files.gl_pathc + 3, sizeof *tests);
  size_t count = 0;
  tests[count++] =
      (struct CMUnitTest){.name = "kernels", .test_func = run_kernels};
  tests[count++] =
      (struct CMUnitTest){.name = "places", .test_func = run_places};
  tests[count++] =
      (struct CMUnitTest){.name = "functions", .test_func = run_functions};
  for (size_t i = 0; i < files.gl_pathc; i++)
    if (is_chosen(i, files.gl_pathv[i]))
      tests[count++] =
          (struct CMUnitTest){.name = strrchr(files.gl_pathv[i], '/') + 1,
                              .test_func = run_file,
                              .initial_state = files.gl_pathv[i]};
  open_both(&b);
  int failed = _cmocka_run_group_tests("tier", tests, count, NULL, NULL);
  printf("# %d launches ran as compiled code (checked: %d), %d bailed, %d were "
         "refused\n",
         b.compiled, b.checked, b.bailed, b.refused);
  close_both(&b);
  free(tests);
  free(pattern);
  free(made);
  free(own);
  free(folder);
  free(fixture);
  globfree(&files);
  return failed;
}
