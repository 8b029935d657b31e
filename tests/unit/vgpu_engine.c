// SPDX-License-Identifier: Apache-2.0
// The virtual GPU on whole kernels (tests/ptx/kernels/checks.cu): results, and
// what it says about mistakes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "gpu/finding/finding.h"
#include "tests/unit/vgpu_fixture.h"

static struct gpu_finding found[64];
static int found_count;

static int set_up(void **state) {
  (void)state;
  return open_with("tests/ptx/kernels/checks.ptx");
}

static gpu_ptr alloc(size_t bytes) {
  gpu_ptr p = 0;
  ok(back->mem_alloc(device, bytes, 0, &p, &info));
  return p;
}

static gpu_ptr zeros(size_t bytes) {
  gpu_ptr p = alloc(bytes);
  ok(back->mem_set(
      device, &(struct gpu_fill){.to = p, .width = 1, .count = bytes}, &info));
  return p;
}

static void download(void *to, gpu_ptr from, size_t bytes) {
  ok(back->copy_out(device, to, from, bytes, 0, &info));
  ok(finish());
}

// Launches with parameters of 8 bytes each and leaves the findings in `found`.
static enum err run_with(const char *kernel, struct gpu_launch l,
                         const uint64_t *words, int count) {
  struct gpu_function_info f;
  uint8_t params[GPU_MAX_PARAM_BYTES] = {0};
  ok(back->function_get(device, module, kernel, &l.function, &f, &info));
  assert_int_equal(f.param_count, count);
  for (int i = 0; i < count; i++)
    memcpy(params + f.params[i].offset, &words[i], f.params[i].bytes);
  l.params = params;
  l.param_bytes = f.param_bytes;
  ok(back->launch(device, &l, &info));
  enum err err = finish();
  found_count = back->findings(device, found, 64);
  return err;
}

#define RUN(kernel, grid_x, block_x, ...)                                      \
  run_with(                                                                    \
      kernel,                                                                  \
      (struct gpu_launch){.grid = {grid_x, 1, 1}, .block = {block_x, 1, 1}},   \
      (uint64_t[]){__VA_ARGS__},                                               \
      (int)(sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t)))

// ---- Results ----

static void adds(void **state) {
  (void)state;
  float x[1000], y[1000], out[1000];
  for (int i = 0; i < 1000; i++) {
    x[i] = (float)i;
    y[i] = (float)(2 * i);
  }
  gpu_ptr dx = upload(x, sizeof x), dy = upload(y, sizeof y);
  gpu_ptr dout = alloc(sizeof out);
  assert_int_equal(RUN("add", 8, 128, dx, dy, dout, 1000), ERR_OK);
  assert_int_equal(found_count, 0);
  download(out, dout, sizeof out);
  for (int i = 0; i < 1000; i++)
    assert_true(out[i] == (float)(3 * i));
}

static void sums_blocks(void **state) {
  (void)state;
  float x[1024], out[4];
  for (int i = 0; i < 1024; i++)
    x[i] = (float)(i % 256);
  gpu_ptr dx = upload(x, sizeof x), dout = alloc(sizeof out);
  assert_int_equal(RUN("block_sum", 4, 256, dx, dout), ERR_OK);
  assert_int_equal(found_count, 0);
  download(out, dout, sizeof out);
  for (int b = 0; b < 4; b++)
    assert_true(out[b] == 255.0f * 128);
}

static void histograms(void **state) {
  (void)state;
  static unsigned char x[50000];
  unsigned want[256] = {0}, got[256];
  for (int i = 0; i < 50000; i++)
    want[x[i] = (unsigned char)((unsigned)i * (unsigned)i >> 3)]++;
  gpu_ptr dx = upload(x, sizeof x), bins = zeros(sizeof got);
  assert_int_equal(RUN("histogram", 8, 256, dx, bins, sizeof x), ERR_OK);
  assert_int_equal(found_count, 0);
  download(got, bins, sizeof got);
  assert_memory_equal(got, want, sizeof want);
}

static int escapes_after(int px, int py, int w, int h, int limit) {
  float x0 = (float)px * 3.5f / (float)w - 2.5f;
  float y0 = (float)py * 2.0f / (float)h - 1.0f, x = 0, y = 0;
  int k = 0;
  while (x * x + y * y <= 4 && k < limit) {
    float t = x * x - y * y + x0;
    y = 2 * x * y + y0;
    x = t;
    k++;
  }
  return k;
}

static void diverges_like_mandelbrot(void **state) {
  (void)state;
  enum { W = 70, H = 40, LIMIT = 200 };
  static int got[W * H];
  gpu_ptr out = alloc(sizeof got);
  struct gpu_launch l = {.grid = {5, 3, 1}, .block = {16, 16, 1}};
  assert_int_equal(run_with("mandelbrot", l, (uint64_t[]){out, W, H, LIMIT}, 4),
                   ERR_OK);
  download(got, out, sizeof got);
  for (int i = 0; i < W * H; i++)
    assert_int_equal(got[i], escapes_after(i % W, i / W, W, H, LIMIT));
}

static void computes_doubles(void **state) {
  (void)state;
  double x[40], got[320];
  for (int i = 0; i < 40; i++)
    x[i] = (i - 19.3) * 0.37;
  gpu_ptr dx = upload(x, sizeof x), out = alloc(sizeof got);
  assert_int_equal(RUN("double_math", 1, 40, dx, out), ERR_OK);
  download(got, out, sizeof got);
  for (int i = 0; i < 40; i++) {
    double v = x[i],
           want[8] = {
               sin(v),        cos(v),  exp(v), log(fabs(v)), pow(fabs(v), 1.7),
               sqrt(fabs(v)), v / 3.7, tanh(v)};
    for (int k = 0; k < 8; k++)
      assert_true(fabs(got[i * 8 + k] - want[k]) <=
                  2 * 0x1p-52 * fabs(want[k]));
  }
}

static void recurses(void **state) {
  (void)state;
  int got[32];
  gpu_ptr out = alloc(sizeof got);
  assert_int_equal(RUN("recursion", 1, 32, out), ERR_OK);
  download(got, out, sizeof got);
  for (int t = 0; t < 32; t++) {
    int m = t % 3, n = t % 5;
    assert_int_equal(got[t], m == 0 ? n + 1 : m == 1 ? n + 2 : 2 * n + 3);
  }
}

static void syncs_subsets_of_a_warp(void **state) {
  (void)state;
  int got[32];
  gpu_ptr out = alloc(sizeof got);
  assert_int_equal(RUN("sync_subsets", 1, 32, out), ERR_OK);
  assert_int_equal(found_count, 0);
  download(got, out, sizeof got);
  for (int t = 0; t < 32; t++)
    assert_int_equal(got[t], t < 16 ? 3 : 20);
}

static void locks_between_lanes_and_blocks(void **state) {
  (void)state;
  int got;
  gpu_ptr lock = zeros(4), count = zeros(4);
  assert_int_equal(RUN("lock_in_warp", 2, 40, lock, count), ERR_OK);
  download(&got, count, 4);
  assert_int_equal(got, 80);
}

static void blocks_may_wait_for_each_other(void **state) {
  (void)state;
  int got[2];
  gpu_ptr flag = zeros(8);
  assert_int_equal(RUN("wait_for_last_block", 10, 64, flag), ERR_OK);
  download(got, flag, 8);
  assert_int_equal(got[1], 7);
}

static void has_variables(void **state) {
  (void)state;
  float got;
  gpu_ptr out = alloc(4), at;
  size_t bytes;
  assert_int_equal(RUN("variables", 1, 1, out, 2), ERR_OK);
  download(&got, out, 4);
  assert_true(got == 9.0f);
  int table[4] = {10, 20, 30, 40}, old[4];
  ok(back->variable_get(device, module, "table", &at, &bytes, &info));
  assert_int_equal(bytes, sizeof table);
  download(old, at, sizeof old);
  ok(back->copy_in(device, at, table, bytes, 0, &info));
  assert_int_equal(RUN("variables", 1, 1, out, 2), ERR_OK);
  download(&got, out, 4);
  assert_true(got == 90.0f);
  ok(back->copy_in(device, at, old, bytes, 0, &info));
  ok(finish());
}

static void has_dynamic_shared_memory(void **state) {
  (void)state;
  int got[100];
  gpu_ptr out = alloc(sizeof got);
  struct gpu_launch l = {
      .grid = {1, 1, 1}, .block = {100, 1, 1}, .shared_bytes = 400};
  assert_int_equal(run_with("dynamic_reverse", l, &out, 1), ERR_OK);
  assert_int_equal(found_count, 0);
  download(got, out, sizeof got);
  for (int i = 0; i < 100; i++)
    assert_int_equal(got[i], 99 - i);
  l.shared_bytes = 396;
  assert_int_equal(run_with("dynamic_reverse", l, &out, 1), ERR_OUT_OF_BOUNDS);
}

static void prints(void **state) {
  (void)state;
  str_clear(&printed);
  double x = 2.5;
  uint64_t bits;
  memcpy(&bits, &x, 8);
  assert_int_equal(RUN("say", 1, 2, 7, bits), ERR_OK);
  assert_string_equal(printed.data, "7  2.50 text c 1099511627776%\n"
                                    "8  2.50 text c 1099511627776%\n");
}

static void bounds_what_is_printed(void **state) {
  (void)state;
  str_clear(&printed);
  struct gpu_launch l = {.grid = {64, 1, 1}, .block = {1024, 1, 1}};
  assert_int_equal(run_with("say_much", l, NULL, 0), ERR_OK);
  assert_in_range(printed.len, (1 << 20) - 64, (1 << 20) + 200);
  assert_non_null(strstr(printed.data, "were left out"));
}

// ---- Mistakes ----

static void finds_out_of_bounds(void **state) {
  (void)state;
  float x[1000] = {0};
  gpu_ptr dx = upload(x, sizeof x), out = zeros(sizeof x);
  assert_int_equal(RUN("add_unguarded", 8, 128, dx, out), ERR_OUT_OF_BOUNDS);
  assert_int_equal(found_count, 2);
  const struct gpu_finding *r = &found[0], *w = &found[1];
  assert_int_equal(r->at.access, GPU_READ);
  assert_string_equal(r->file, "checks.cu");
  assert_string_equal(r->function, "add_unguarded");
  assert_int_equal(r->at.line, 16);
  assert_int_equal(r->at.block[0], 7);
  assert_int_equal(r->at.thread[0], 104);
  assert_int_equal(r->count, 24);
  assert_int_equal(r->base, dx);
  assert_int_equal(r->base_bytes, 4000);
  assert_int_equal(r->offset, 4000);
  assert_int_equal(w->at.access, GPU_WRITE);
  assert_int_equal(w->at.line, 17);
  assert_int_equal(w->base, out);
}

// Every way in which threads write: rows of many blocks (flat.c), gangs of warps
// (all_st), warps of their own, where a thread leaves early, and atomics.
static void finds_writes_to_inputs(void **state) {
  (void)state;
  static float x[4096];
  gpu_ptr dx = upload(x, sizeof x), in;
  ok(back->mem_alloc(device, sizeof x, GPU_ALLOC_INPUT, &in, &info));
  ok(back->mem_set(
      device,
      &(struct gpu_fill){.to = in, .value = 1, .width = 1, .count = sizeof x},
      &info));
  struct {
    uint32_t block[3];
    uint64_t n;
  } shapes[] = {{{128, 1, 1}, 4096}, {{64, 2, 1}, 2048}, {{100, 1, 1}, 10}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    const uint32_t *b = shapes[i].block;
    struct gpu_launch l = {.grid = {32, 1, 1}, .block = {b[0], b[1], b[2]}};
    assert_int_equal(
        run_with("add", l, (uint64_t[]){dx, dx, in, shapes[i].n}, 4),
        ERR_READ_ONLY);
    assert_int_equal(found[0].kind, ERR_READ_ONLY);
    assert_int_equal(found[0].at.line, 11);
    assert_int_equal(found[0].count, shapes[i].n * b[1]);
    download(x, in, sizeof x); // it is done all the same
    assert_true(x[0] == 0 && x[shapes[i].n - 1] == 0);
  }
  assert_int_equal(RUN("histogram", 8, 256, dx, in, sizeof x), ERR_READ_ONLY);
  ok(back->mem_free(device, in, &info));
}

static void finds_far_overruns(void **state) {
  (void)state;
  gpu_ptr p = zeros(400), q = zeros(400);
  (void)q;
  uint64_t far = 1000000000, below = (uint64_t)-5;
  assert_int_equal(RUN("write_at", 1, 1, p, far), ERR_OUT_OF_BOUNDS);
  assert_int_equal(found[0].base, p);
  assert_int_equal(found[0].offset, 4000000000);
  assert_int_equal(RUN("write_at", 1, 1, p, below), ERR_OUT_OF_BOUNDS);
  assert_int_equal(found[0].base, p);
  assert_int_equal(found[0].offset, -20);
  assert_int_equal(RUN("write_at", 1, 1, 0, 3), ERR_OUT_OF_BOUNDS);
  assert_string_equal(found[0].text, "a null pointer");
}

static void finds_use_after_free(void **state) {
  (void)state;
  gpu_ptr p = zeros(400);
  ok(back->mem_free(device, p, &info));
  assert_int_equal(RUN("write_at", 1, 1, p, 3), ERR_USE_AFTER_FREE);
  assert_int_equal(found[0].base, p);
  assert_int_equal(found[0].base_bytes, 400);
  assert_int_equal(back->mem_free(device, p, &info), ERR_ARGUMENT);
  gpu_ptr out = zeros(256);
  assert_int_equal(RUN("heap", 1, 32, out), ERR_USE_AFTER_FREE);
  assert_int_equal(found[0].at.thread[0], 3);
}

static void finds_misaligned(void **state) {
  (void)state;
  gpu_ptr p = zeros(16);
  assert_int_equal(RUN("misaligned", 1, 1, p), ERR_MISALIGNED);
  assert_int_equal(found[0].offset, 1);
}

static void finds_shared_and_local_overruns(void **state) {
  (void)state;
  gpu_ptr out = zeros(64);
  assert_int_equal(RUN("shared_past_end", 1, 8, out, 9), ERR_OUT_OF_BOUNDS);
  assert_int_equal(found[0].space, GPU_SPACE_SHARED);
  assert_int_equal(found[0].base_bytes, 32);
  assert_int_equal(found[0].offset, 36);
  assert_int_equal(RUN("local_past_end", 1, 8, out, 9), ERR_OUT_OF_BOUNDS);
  assert_int_equal(found[0].space, GPU_SPACE_LOCAL);
}

// Enough blocks to run in parallel: what is found there is what is found in one
// block, and a kernel without races has none.
static void finds_races_of_many_blocks(void **state) {
  (void)state;
  enum { BLOCKS = 128, N = BLOCKS * 256 };
  static float x[N];
  float sums[BLOCKS];
  for (int i = 0; i < N; i++)
    x[i] = (float)(i % 7);
  gpu_ptr dx = upload(x, sizeof x), out = alloc(sizeof sums);
  assert_int_equal(RUN("block_sum_no_barrier", BLOCKS, 256, dx, out), ERR_RACE);
  assert_int_equal(found_count, 1);
  assert_int_equal(found[0].at.line, 37);
  assert_int_equal(found[0].at.access, GPU_WRITE);
  assert_int_equal(found[0].other.line, 40);
  assert_int_equal(found[0].other.access, GPU_READ);
  assert_non_null(strstr(found[0].variable, "part"));
  assert_int_equal(RUN("block_sum", BLOCKS, 256, dx, out), ERR_OK);
  assert_int_equal(found_count, 0);
  download(sums, out, sizeof sums);
  for (int b = 0; b < BLOCKS; b++) {
    float sum = 0;
    for (int i = 0; i < 256; i++)
      sum += x[b * 256 + i];
    assert_true(sums[b] == sum);
  }
}

static void finds_races(void **state) {
  (void)state;
  float x[256] = {0};
  gpu_ptr dx = upload(x, sizeof x), out = alloc(4);
  assert_int_equal(RUN("block_sum_no_barrier", 1, 256, dx, out), ERR_RACE);
  assert_int_equal(found_count, 1);
  assert_int_equal(found[0].at.line, 37);
  assert_int_equal(found[0].at.access, GPU_WRITE);
  assert_int_equal(found[0].other.line, 40);
  assert_int_equal(found[0].other.access, GPU_READ);
  assert_non_null(strstr(found[0].variable, "part"));
  gpu_ptr ints = alloc(128);
  assert_int_equal(RUN("warp_reverse", 1, 32, ints, 1), ERR_OK);
  assert_int_equal(found_count, 0);
  assert_int_equal(RUN("warp_reverse", 1, 32, ints, 0), ERR_RACE);
}

static void finds_unwritten_values(void **state) {
  (void)state;
  gpu_ptr out = alloc(4096), x = alloc(4096);
  float got[64];
  // Copying is no mistake; that the host gets it is.
  assert_int_equal(RUN("read_unwritten_shared", 1, 64, out), ERR_OK);
  assert_int_equal(found_count, 0);
  ok(back->copy_out(device, got, out, 32 * sizeof *got, 0, &info));
  assert_int_equal(finish(), ERR_OK);
  ok(back->copy_out(device, got, out, sizeof got, 0, &info));
  assert_int_equal(finish(), ERR_UNINITIALISED);
  found_count = back->findings(device, found, 64);
  assert_int_equal(found_count, 1);
  assert_int_equal(found[0].at.line, 62);
  assert_int_equal(found[0].at.thread[0], 32);
  assert_int_equal(found[0].space, GPU_SPACE_SHARED);
  assert_int_equal(RUN("add_unguarded", 1, 64, x, out), ERR_OK);
  ok(back->copy_out(device, got, out, sizeof got, 0, &info));
  assert_int_equal(finish(), ERR_UNINITIALISED);
  found_count = back->findings(device, found, 64);
  assert_int_equal(found[0].base, x);
  assert_int_equal(found[0].at.line, 16);
}

static void does_not_mind_padding(void **state) {
  (void)state;
  gpu_ptr a = alloc(1024), b = alloc(1024);
  const char zero[8] = {0};
  static const int at[] = {0, 4, 8, 16, 24}, size[] = {1, 4, 2, 8, 1};
  for (int i = 0; i < 32; i++)
    for (int f = 0; f < 5; f++)
      ok(back->copy_in(device, a + (gpu_ptr)(i * 32 + at[f]), zero,
                       (size_t)size[f], 0, &info));
  assert_int_equal(RUN("copy_padded", 1, 32, a, b), ERR_OK);
  assert_int_equal(found_count, 0);
}

static void finds_barrier_mistakes(void **state) {
  (void)state;
  gpu_ptr out = zeros(1024);
  assert_int_equal(RUN("barrier_in_branch", 1, 32, out), ERR_BARRIER);
  assert_int_equal(found[0].count, 16);
  assert_int_equal(RUN("sync_names_absent", 1, 32, out), ERR_BARRIER);
  assert_int_equal(RUN("two_barriers", 1, 64, out), ERR_DEADLOCK);
  assert_int_equal(found_count, 2);
  assert_int_equal(found[0].count, 32);
}

static void lets_threads_leave_early(void **state) {
  (void)state;
  gpu_ptr out = zeros(1024);
  for (uint64_t n = 1; n <= 128; n += 31) {
    assert_int_equal(RUN("leave_early", 1, 128, out, n), ERR_OK);
    // A warp that parted there is told of, without an error: it may have been
    // an if that ends the kernel.
    assert_int_equal(found_count, n % 32 != 0);
    assert_true(!found_count || found[0].severity == GPU_WARNING);
  }
  // Between two barriers, by whole warps.
  assert_int_equal(RUN("leave_between", 1, 128, out), ERR_OK);
  assert_int_equal(found_count, 0);
}

static void ends_endless_kernels(void **state) {
  (void)state;
  gpu_ptr flag = zeros(4);
  struct gpu_launch l = {
      .grid = {100000, 1, 1}, .block = {64, 1, 1}, .budget = 100000};
  struct gpu_work work;
  ok(back->work(device, &work, &info));
  assert_int_equal(run_with("endless", l, &flag, 1), ERR_TIMEOUT);
  ok(back->work(device, &work, &info));
  // What all blocks together may cost, and what those cost that were under way.
  assert_true(work.all <= UINT64_C(3) << 30);
  assert_int_equal(found[0].at.line, 114);
  // All blocks wait for what nobody does, which needs no budget to be seen.
  l = (struct gpu_launch){.grid = {2, 1, 1},
                          .block = {64, 1, 1},
                          .budget = UINT64_C(1) << 50,
                          .grid_budget = UINT64_C(1) << 50};
  assert_int_equal(run_with("endless", l, &flag, 1), ERR_DEADLOCK);
  assert_int_equal(found[0].at.line, 114);
  assert_int_equal(found[0].count, 128);
  assert_int_equal(found[0].address, flag);
}

// No thread uses up its own budget; all together do.
static void ends_grids_that_do_too_much(void **state) {
  (void)state;
  gpu_ptr flag = zeros(4);
  struct gpu_launch l = {
      .grid = {4096, 1, 1}, .block = {256, 1, 1}, .grid_budget = 1000000};
  assert_int_equal(run_with("endless", l, &flag, 1), ERR_TIMEOUT);
  assert_int_equal(found[0].at.line, 114);
  assert_non_null(strstr(found[0].text, "together"));
  l = (struct gpu_launch){
      .grid = {1, 1, 1}, .block = {32, 1, 1}, .grid_budget = 1};
  assert_int_equal(run_with("claim", l, (uint64_t[]){3}, 1), ERR_TIMEOUT);
  l.grid_budget = 1000000;
  assert_int_equal(run_with("claim", l, (uint64_t[]){3}, 1), ERR_OK);
}

// What it is charged to load a kernel of so many instructions and a `ret`.
static uint64_t charged_to_load(int count) {
  struct str s = STR_INIT;
  struct gpu_work w;
  gpu_handle own;
  str_add(&s, ".version 8.0\n.target sm_80\n.address_size 64\n"
              ".visible .entry idle() {\n.reg .u32 %r<2>;\n");
  for (int i = 0; i < count; i++)
    str_add(&s, "mov.u32 %r1, 1;\n");
  str_add(&s, "ret; }\n");
  ok(back->work(device, &w, &info));
  ok(back->module_load(device, s.data, s.len, &own, &info));
  ok(back->work(device, &w, &info));
  ok(back->module_unload(device, own, &info));
  str_free(&s);
  assert_int_equal(w.all, w.loads);
  return w.loads;
}

// By what the module holds, whether or not it is ever executed.
static void charges_what_is_loaded(void **state) {
  (void)state;
  uint64_t small = charged_to_load(1000), large = charged_to_load(21000);
  assert_in_range(small, 2000000, 4000000);
  assert_int_equal(large - small,
                   20000 * (2048 + 8 * strlen("mov.u32 %r1, 1;\n")));
}

// Each thread writes an element of its own page, in a loop of one round.
static const char touch_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry touch(.param .u64 out, .param .u64 stride) {\n"
    ".reg .u32 %r<8>; .reg .u64 %d<8>; .reg .pred %p<2>;\n"
    "ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1;\n"
    "ld.param.u64 %d2, [stride]; mov.u32 %r5, 0;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; cvt.u64.u32 %d3, %r4;\n"
    "mad.lo.u64 %d4, %d3, %d2, %d1;\n"
    "again: st.global.u32 [%d4], %r4; add.u32 %r5, %r5, 1;\n"
    "setp.lt.u32 %p1, %r5, 1; @%p1 bra again; ret; }\n";

// What looking closely at memory is charged for 16384 threads.
static uint64_t cells_of_touch_within(uint64_t budget, enum err wanted,
                                      uint32_t flags, uint64_t stride) {
  gpu_handle own = module;
  struct gpu_work w;
  gpu_ptr out = zeros(16384 * 4096);
  ok(back->module_load(device, touch_text, sizeof touch_text - 1, &module,
                       &info));
  ok(back->work(device, &w, &info));
  struct gpu_launch l = {.grid = {64, 1, 1},
                         .block = {256, 1, 1},
                         .flags = flags,
                         .grid_budget = budget};
  assert_int_equal(run_with("touch", l, (uint64_t[]){out, stride}, 2), wanted);
  ok(back->work(device, &w, &info));
  ok(back->module_unload(device, module, &info));
  ok(back->mem_free(device, out, &info));
  module = own;
  return w.cells;
}

static uint64_t cells_of_touch(uint32_t flags, uint64_t stride) {
  return cells_of_touch_within(0, ERR_OK, flags, stride);
}

// Memory that is touched costs by the page, whoever touches it.
static void charges_pages_that_are_kept(void **state) {
  (void)state;
  enum { PAGE_COST = 4096 };
  uint64_t dense = cells_of_touch(0, 4), wide = cells_of_touch(0, 4096);
  assert_true(dense < 16384 * PAGE_COST / 8);
  assert_true(wide >= UINT64_C(16384) * PAGE_COST);
  assert_true(wide < UINT64_C(16384) * PAGE_COST * 2);
  assert_int_equal(cells_of_touch(GPU_LAUNCH_IN_ORDER, 4), dense);
  assert_int_equal(cells_of_touch(GPU_LAUNCH_IN_ORDER, 4096), wide);
}

// A launch that is right and merely touches much is not stopped for that, unless
// its whole cost is to be bounded.
static void touching_much_is_no_timeout(void **state) {
  (void)state;
  enum { BUDGET = 10000000 };
  uint64_t much = cells_of_touch_within(BUDGET, ERR_OK, 0, 4096);
  assert_true(much > 6 * BUDGET);
  cells_of_touch_within(BUDGET, ERR_TIMEOUT, GPU_LAUNCH_PAYS_MEMORY, 4096);
  cells_of_touch_within(1000, ERR_TIMEOUT, 0, 4096);
}

// One thread a place, or all of them one.
static const char tell_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry tell(.param .u64 out, .param .u64 stride) {\n"
    ".reg .u32 %r<8>; .reg .u64 %d<8>;\n"
    "ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1;\n"
    "ld.param.u64 %d2, [stride];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; cvt.u64.u32 %d3, %r4;\n"
    "mad.lo.u64 %d4, %d3, %d2, %d1;\n"
    "red.global.add.u32 [%d4], 1; ret; }\n";

static struct gpu_work work_of_tell(uint64_t stride) {
  gpu_handle own = module;
  struct gpu_work w;
  gpu_ptr out = zeros(16384 * 4);
  ok(back->module_load(device, tell_text, sizeof tell_text - 1, &module,
                       &info));
  ok(back->work(device, &w, &info));
  assert_int_equal(RUN("tell", 64, 256, out, stride), ERR_OK);
  ok(back->work(device, &w, &info));
  ok(back->module_unload(device, module, &info));
  ok(back->mem_free(device, out, &info));
  module = own;
  return w;
}

// What is kept of an atomic access, and of each place that one was made to,
// takes the host time and memory, which the launch pays for.
static void charges_what_atomics_leave(void **state) {
  (void)state;
  struct gpu_work many = work_of_tell(4), one = work_of_tell(0);
  // A note of 16 bytes for each, and not all that may be known of a cell.
  assert_in_range(many.cells, 16384 * (24 + 3 * 16), 16384 * (24 + 6 * 16));
  assert_true(many.all - many.cells >= one.all - one.cells + 16384 * 128);
}

// Its first block stores to the cell before all add to it.
static const char store_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry store(.param .u64 out, .param .u64 last) {\n"
    ".reg .u32 %r<4>; .reg .u64 %d<4>; .reg .pred %p<2>;\n"
    "ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1;\n"
    "ld.param.u32 %r2, [last]; mov.u32 %r1, %ctaid.x;\n"
    "setp.lt.u32 %p1, %r1, %r2; @%p1 st.global.u32 [%d1], %r1;\n"
    "red.global.add.u32 [%d1], 1; ret; }\n";

static enum err store_before_adding(uint64_t blocks) {
  gpu_handle own = module;
  gpu_ptr out = zeros(128);
  ok(back->module_load(device, store_text, sizeof store_text - 1, &module,
                       &info));
  enum err err = RUN("store", 2, 1, out, blocks);
  ok(back->module_unload(device, module, &info));
  ok(back->mem_free(device, out, &info));
  module = own;
  return err;
}

// A plain store is remembered behind an atomic of its own thread: the other
// block's atomic is in no order with it.
static void an_atomic_hides_no_store(void **state) {
  (void)state;
  assert_int_equal(store_before_adding(0), ERR_OK);
  assert_int_equal(store_before_adding(1), ERR_RACE);
}

static struct gpu_work work_of(const char *kernel, uint32_t grid,
                               uint32_t flags, const uint64_t *words,
                               int count) {
  struct gpu_launch l = {
      .grid = {grid, 1, 1}, .block = {256, 1, 1}, .flags = flags};
  struct gpu_work w;
  ok(back->work(device, &w, &info));
  run_with(kernel, l, words, count);
  ok(back->work(device, &w, &info));
  return w;
}

// Right kernels and wrong ones are charged the same by one host thread and by
// as many as there are cores, time after time.
static void costs_the_same_on_any_number_of_cores(void **state) {
  (void)state;
  enum { BLOCKS = 600, N = BLOCKS * 256 };
  static float x[N];
  gpu_ptr in = upload(x, sizeof x), result = zeros(sizeof x);
  const struct {
    const char *kernel;
    uint64_t words[4];
    int count;
  } runs[] = {
      {"add", {in, in, result, N - 9}, 4},
      {"add_unguarded", {in, result}, 2},
      {"block_sum", {in, result}, 2},
      {"block_sum_no_barrier", {in, result}, 2},
      {"histogram", {in, result, N}, 3},
  };
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    struct gpu_work alone = work_of(runs[k].kernel, BLOCKS, GPU_LAUNCH_IN_ORDER,
                                    runs[k].words, runs[k].count);
    assert_true(alone.all > 0);
    for (int time = 0; time < 3; time++) {
      struct gpu_work w =
          work_of(runs[k].kernel, BLOCKS, 0, runs[k].words, runs[k].count);
      assert_memory_equal(&w, &alone, sizeof w);
    }
  }
}

static void ends_endless_recursion(void **state) {
  (void)state;
  gpu_ptr out = zeros(256);
  assert_int_equal(RUN("recursion_without_end", 1, 1, out), ERR_OUT_OF_BOUNDS);
  assert_string_equal(finding_code(&found[0]), "recursion");
  assert_non_null(strstr(found[0].text, "deep has called itself"));
  // It ends all of a launch, in its first warp, however many blocks there are.
  assert_int_equal(RUN("recursion_without_end", 65535, 256, out),
                   ERR_OUT_OF_BOUNDS);
  assert_string_equal(finding_code(&found[0]), "recursion");
  assert_non_null(strstr(found[0].text, "deep has called itself"));
  assert_int_equal(found[0].count, 32);
}

static void reports_assertions_and_traps(void **state) {
  (void)state;
  assert_int_equal(RUN("claim", 1, 32, 3), ERR_OK);
  assert_int_equal(RUN("claim", 1, 32, 4), ERR_ASSERT);
  assert_int_equal(found[0].count, 32);
  assert_non_null(strstr(found[0].text, "n == 3"));
  struct gpu_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
  assert_int_equal(run_with("stop", l, NULL, 0), ERR_TRAP);
  assert_int_equal(found[0].at.thread[0], 5);
}

static void stops_when_asked(void **state) {
  (void)state;
  gpu_ptr count = zeros(8);
  struct gpu_launch l = {.grid = {4, 1, 1},
                         .block = {64, 1, 1},
                         .budget = UINT64_C(1) << 50,
                         .params = &count,
                         .param_bytes = 8};
  uint8_t was = 5, mark;
  gpu_ptr marked = upload(&was, 1);
  ok(finish());
  ok(back->function_get(device, module, "busy_for_ever", &l.function, NULL,
                        &info));
  ok(back->launch(device, &l, &info));
  // Short work waits for its turn, too, which never comes.
  ok(back->mem_set(
      device,
      &(struct gpu_fill){.to = marked, .value = 9, .width = 1, .count = 1},
      &info));
  struct timespec rest = {0, 20000000};
  nanosleep(&rest, NULL);
  assert_int_equal(back->poll(device, 0, &info), ERR_NOT_READY);
  ok(back->cancel(device, &info));
  assert_int_equal(finish(), ERR_CANCELLED);
  struct gpu_finding stopped[4]; // where it was
  assert_int_equal(back->findings(device, stopped, 4), 1);
  assert_int_equal(stopped[0].kind, ERR_TIMEOUT);
  assert_int_equal(stopped[0].severity, GPU_NOTE);
  download(&mark, marked, 1);
  assert_int_equal(mark, was);
  float x[4] = {1, 2, 3, 4}, got[4];
  gpu_ptr dx = upload(x, sizeof x);
  download(got, dx, sizeof got);
  assert_memory_equal(got, x, sizeof x);
}

// What is destroyed once is gone, also while work before it goes on.
static void destroys_once(void **state) {
  (void)state;
  gpu_ptr count = zeros(8), words = zeros(64);
  struct gpu_launch l = {.grid = {1, 1, 1},
                         .block = {64, 1, 1},
                         .budget = UINT64_C(1) << 50,
                         .params = &count,
                         .param_bytes = 8};
  struct gpu_texture_desc t = {.resource = GPU_RESOURCE_LINEAR,
                               .address = words,
                               .width = 16,
                               .format = GPU_FORMAT_U32,
                               .channels = 1,
                               .reads_elements = true};
  uint64_t texture;
  ok(finish());
  ok(back->texture_create(device, &t, &texture, &info));
  ok(back->function_get(device, module, "busy_for_ever", &l.function, NULL,
                        &info));
  ok(back->launch(device, &l, &info));
  for (uint64_t blocks[2] = {0, 0}; !blocks[0];) // until it has begun
    back->progress(device, blocks);
  ok(back->texture_destroy(device, texture, &info));
  enum err again = back->texture_destroy(device, texture, &info);
  ok(back->cancel(device, &info));
  assert_int_equal(finish(), ERR_CANCELLED);
  struct gpu_finding stopped[4];
  back->findings(device, stopped, 4);
  assert_int_equal(again, ERR_ARGUMENT);
}

// The same launch says the same, however its blocks fell on host threads.
static void says_the_same_each_time(void **state) {
  (void)state;
  float *x = calloc(1, 400000);
  gpu_ptr dx = upload(x, 400000), out = zeros(400000);
  struct gpu_finding first[64];
  int count = 0;
  for (int round = 0; round < 5; round++) {
    assert_int_equal(RUN("add_unguarded", 800, 128, dx, out),
                     ERR_OUT_OF_BOUNDS);
    for (int i = 0; i < found_count; i++)
      found[i].launch = 0;
    if (round == 0) {
      memcpy(first, found, sizeof found);
      count = found_count;
    }
    assert_int_equal(found_count, count);
    assert_memory_equal(found, first, sizeof *found * (size_t)count);
  }
  free(x);
}

// ---- The device ----

static void refuses_what_cannot_be(void **state) {
  (void)state;
  gpu_ptr p;
  char byte;
  assert_int_equal(back->mem_alloc(device, (size_t)1 << 40, 0, &p, &info),
                   ERR_NOMEM);
  assert_non_null(strstr(info.text, "1 TB asked for"));
  gpu_ptr q = zeros(16);
  assert_int_equal(back->copy_out(device, &byte, q + 16, 1, 0, &info),
                   ERR_ARGUMENT);
  assert_int_equal(back->copy_in(device, q - 1, &byte, 1, 0, &info),
                   ERR_ARGUMENT);
  assert_int_equal(back->copy_in(device, q, &byte, 1, 99, &info), ERR_ARGUMENT);
  gpu_handle f;
  assert_int_equal(
      back->function_get(device, module, "nothing", &f, NULL, &info),
      ERR_NOT_FOUND);
}

static void times_with_events(void **state) {
  (void)state;
  gpu_handle a, b, s;
  double ms;
  ok(back->stream_create(device, &s, &info));
  ok(back->event_create(device, &a, &info));
  ok(back->event_create(device, &b, &info));
  ok(back->event_record(device, a, s, &info));
  ok(back->event_record(device, b, s, &info));
  ok(finish());
  ok(back->event_elapsed(device, a, b, &ms, &info));
  assert_true(ms >= 0 && ms < 1000);
  ok(back->event_destroy(device, a, &info));
  ok(back->event_destroy(device, b, &info));
  ok(back->stream_destroy(device, s, &info));
  assert_int_equal(back->stream_destroy(device, s, &info), ERR_ARGUMENT);
}

// A graph of three pieces of work, launched twice, then with other parameters.
static void replays_what_was_captured(void **state) {
  (void)state;
  enum { N = 100 };
  float x[N], got[N];
  for (int i = 0; i < N; i++)
    x[i] = 1;
  gpu_ptr a = upload(x, sizeof x), b = upload(x, sizeof x), c = zeros(sizeof x);
  gpu_handle s, graph, second;
  struct gpu_function_info f;
  uint64_t words[] = {a, b, c, N};
  uint8_t params[GPU_MAX_PARAM_BYTES] = {0};
  struct gpu_launch l = {.grid = {1, 1, 1}, .block = {128, 1, 1}, .node = 2};
  ok(back->function_get(device, module, "add", &l.function, &f, &info));
  for (int i = 0; i < 4; i++)
    memcpy(params + f.params[i].offset, &words[i], f.params[i].bytes);
  l.params = params;
  l.param_bytes = f.param_bytes;
  assert_int_equal(back->graphs->capture_begin(device, 0, &info), ERR_ARGUMENT);
  ok(back->stream_create(device, &s, &info));
  ok(back->graphs->capture_begin(device, s, &info));
  assert_int_equal(back->graphs->capture_begin(device, s, &info), ERR_ARGUMENT);
  l.stream = s;
  ok(back->copy_on(device, b, c, sizeof x, s, &info));
  ok(back->launch(device, &l, &info));
  struct gpu_fill two = {
      .to = a, .value = 0x40000000, .width = 4, .count = N, .stream = s};
  ok(back->mem_set(device, &two, &info)); // 2.0f
  ok(back->graphs->capture_end(device, s, &graph, &info));
  assert_int_equal(back->graphs->capture_end(device, s, &second, &info),
                   ERR_ARGUMENT);
  download(got, c, sizeof got);
  assert_true(got[0] == 0); // nothing ran
  ok(back->graphs->launch(device, graph, s, &info));
  download(got, c, sizeof got);
  assert_true(got[0] == 1 && got[N - 1] == 1); // b became 0, then 1 + 0
  ok(back->graphs->upload(device, graph, s, &info));
  ok(back->graphs->launch(device, graph, 0, &info));
  download(got, c, sizeof got);
  assert_true(got[0] == 3); // a is 2 since, b was 1
  memcpy(params + f.params[1].offset, &a, sizeof a);
  ok(back->graphs->update(device, graph, &l, &info)); // c = a + a
  ok(back->graphs->launch(device, graph, s, &info));
  download(got, c, sizeof got);
  assert_true(got[0] == 4);
  l.node = 3;
  assert_int_equal(back->graphs->update(device, graph, &l, &info),
                   ERR_ARGUMENT);
  ok(back->graphs->destroy(device, graph, &info));
  assert_int_equal(back->graphs->launch(device, graph, s, &info), ERR_ARGUMENT);
  ok(back->stream_destroy(device, s, &info));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adds),
      cmocka_unit_test(sums_blocks),
      cmocka_unit_test(histograms),
      cmocka_unit_test(diverges_like_mandelbrot),
      cmocka_unit_test(computes_doubles),
      cmocka_unit_test(recurses),
      cmocka_unit_test(syncs_subsets_of_a_warp),
      cmocka_unit_test(locks_between_lanes_and_blocks),
      cmocka_unit_test(blocks_may_wait_for_each_other),
      cmocka_unit_test(has_variables),
      cmocka_unit_test(has_dynamic_shared_memory),
      cmocka_unit_test(prints),
      cmocka_unit_test(bounds_what_is_printed),
      cmocka_unit_test(finds_out_of_bounds),
      cmocka_unit_test(finds_writes_to_inputs),
      cmocka_unit_test(finds_far_overruns),
      cmocka_unit_test(finds_use_after_free),
      cmocka_unit_test(finds_misaligned),
      cmocka_unit_test(finds_shared_and_local_overruns),
      cmocka_unit_test(finds_races_of_many_blocks),
      cmocka_unit_test(finds_races),
      cmocka_unit_test(finds_unwritten_values),
      cmocka_unit_test(does_not_mind_padding),
      cmocka_unit_test(finds_barrier_mistakes),
      cmocka_unit_test(lets_threads_leave_early),
      cmocka_unit_test(ends_endless_kernels),
      cmocka_unit_test(ends_grids_that_do_too_much),
      cmocka_unit_test(charges_what_is_loaded),
      cmocka_unit_test(charges_pages_that_are_kept),
      cmocka_unit_test(touching_much_is_no_timeout),
      cmocka_unit_test(charges_what_atomics_leave),
      cmocka_unit_test(an_atomic_hides_no_store),
      cmocka_unit_test(costs_the_same_on_any_number_of_cores),
      cmocka_unit_test(ends_endless_recursion),
      cmocka_unit_test(reports_assertions_and_traps),
      cmocka_unit_test(stops_when_asked),
      cmocka_unit_test(destroys_once),
      cmocka_unit_test(says_the_same_each_time),
      cmocka_unit_test(refuses_what_cannot_be),
      cmocka_unit_test(times_with_events),
      cmocka_unit_test(replays_what_was_captured),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
