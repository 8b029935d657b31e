// SPDX-License-Identifier: Apache-2.0
// The virtual GPU's counters, against numbers worked out by hand from the
// rules: sectors of 32 bytes, 32 banks of 4 bytes, who takes part in what.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "gpu/gpu.h"
#include "gpu/occupancy.h"

// Each kernel takes an address and a stride in bytes, and works at address +
// stride * thread of the block (or of the warp).
#define HEAD(name)                                                             \
  ".visible .entry " name "(.param .u64 p, .param .u64 s)\n{\n"                \
  ".reg .pred %p<4>;.reg .b32 %r<16>;.reg .b64 %a<8>;"                         \
  ".reg .f32 %f<8>;.reg .f64 %d<8>;\n"                                         \
  "ld.param.u64 %a0, [p];\nld.param.u64 %a1, [s];\n"                           \
  "mov.u32 %r0, %tid.x;\ncvt.u64.u32 %a2, %r0;\nmul.lo.u64 %a3, %a2, %a1;\n"   \
  "add.u64 %a4, %a0, %a3;\n"
#define HEAD_INSTRUCTIONS 6
#define TAIL              "ret;\n}\n"
#define SHARED_HEAD(name)                                                      \
  HEAD(name)                                                                   \
  "mov.u64 %a5, buffer;\nadd.u64 %a6, %a5, %a3;\n"

static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".shared .align 16 .b8 buffer[16384];\n"
                           ".func helper()\n{\nret;\n}\n"
    // clang-format off
    HEAD("load4") "ld.global.u32 %r1, [%a4];\n" TAIL
    HEAD("load8") "ld.global.u64 %a5, [%a4];\n" TAIL
    HEAD("load16") "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%a4];\n" TAIL
    HEAD("load1") "ld.global.u8 %r1, [%a4];\n" TAIL
    HEAD("store4") "st.global.u32 [%a4], %r0;\n" TAIL
    HEAD("generic") "ld.u32 %r1, [%a4];\n" TAIL
    HEAD("few") "setp.lt.u32 %p1, %r0, 8;\n@%p1 ld.global.u32 %r1, [%a4];\n" TAIL
    HEAD("none") "setp.gt.u32 %p1, %r0, 99;\n@%p1 ld.global.u32 %r1, [%a4];\n" TAIL
    SHARED_HEAD("shared4") "ld.shared.u32 %r1, [%a6];\n" TAIL
    SHARED_HEAD("shared8") "ld.shared.u64 %a7, [%a6];\n" TAIL
    SHARED_HEAD("shared16") "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%a6];\n" TAIL
    SHARED_HEAD("shared_store4") "st.shared.u32 [%a6], %r0;\n" TAIL
    SHARED_HEAD("shared_store8") "st.shared.u64 [%a6], %a2;\n" TAIL
    SHARED_HEAD("shared_pairs8")
      "and.b64 %a7, %a2, 30;\nmul.lo.u64 %a7, %a7, 4;\nadd.u64 %a7, %a7, %a5;\n"
      "ld.shared.u64 %a1, [%a7];\n" TAIL
    SHARED_HEAD("shared_generic")
      "cvta.shared.u64 %a7, %a6;\nld.u32 %r1, [%a7];\n" TAIL
    HEAD("atom")
      "atom.global.add.u32 %r1, [%a4], 1;\nst.global.u32 [%a4], %r1;\n" TAIL
    HEAD("atom_unused") "atom.global.add.u32 %r1, [%a4], 1;\n" TAIL
    HEAD("red") "red.global.add.u32 [%a4], 1;\n" TAIL
    SHARED_HEAD("shared_atom") "atom.shared.add.u32 %r1, [%a6], 1;\n" TAIL
    HEAD("half_goes")
      "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra there;\nadd.u32 %r1, %r0, 1;\n"
      "there:\nadd.u32 %r2, %r0, 1;\n" TAIL
    HEAD("all_go")
      "setp.lt.u32 %p1, %r0, 64;\n@%p1 bra there;\nadd.u32 %r1, %r0, 1;\n"
      "there:\nadd.u32 %r2, %r0, 1;\n" TAIL
    HEAD("barriers") "bar.sync 0;\nbar.sync 0;\nbar.warp.sync -1;\n" TAIL
    HEAD("floats")
      "mov.f32 %f1, 0f3f800000;\nadd.f32 %f2, %f1, %f1;\nsub.f32 %f2, %f2, %f1;\n"
      "mul.f32 %f3, %f1, %f2;\nfma.rn.f32 %f4, %f1, %f2, %f3;\n"
      "cvt.f64.f32 %d1, %f1;\nadd.f64 %d2, %d1, %d1;\nmul.f64 %d3, %d1, %d2;\n"
      "fma.rn.f64 %d4, %d1, %d2, %d3;\ncvt.rn.f32.f64 %f5, %d4;\n"
      "add.f16x2 %r1, %r0, %r0;\nfma.rn.f16x2 %r2, %r0, %r0, %r0;\n"
      "ex2.approx.f32 %f6, %f1;\nrcp.rn.f32 %f7, %f1;\n" TAIL
    HEAD("talk")
      "shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1;\nvote.sync.ballot.b32 %r1, %p0, -1;\n" TAIL
    HEAD("half_calls")
      "setp.lt.u32 %p1, %r0, 16;\n{\n@%p1 call helper, ();\n}\n" TAIL
    ".visible .entry local(.param .u64 p, .param .u64 s)\n{\n"
      ".local .align 8 .b8 mine[64];\n.reg .b32 %r<4>;\n"
      "st.local.u32 [mine], 1;\nld.local.u32 %r1, [mine+8];\n"
      "st.local.v2.u32 [mine+16], {%r1, %r1};\n" TAIL
    ".visible .entry calls(.param .u64 p, .param .u64 s)\n{\n"
      "{\ncall.uni helper, ();\n}\n" TAIL
    // clang-format on
    ;

static const struct gpu_backend *const back = &gpu_virtual_backend;
static struct gpu_device *device;
static gpu_handle module;
static gpu_ptr memory;
static struct err_info info;
static struct gpu_counts counts;
static struct gpu_line_counts *lines;

static void ok(enum err err) {
  if (err)
    fail_msg("%s: %s", err_kind(err), info.text);
}

static int set_up(void **state) {
  (void)state;
  ok(back->open(0, NULL, &device, &info));
  ok(back->module_load(device, text, strlen(text), &module, &info));
  ok(back->mem_alloc(device, 1 << 20, 0, &memory, &info));
  ok(back->mem_set(
      device, &(struct gpu_fill){.to = memory, .width = 1, .count = 1 << 20},
      &info));
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  free(lines);
  back->close(device);
  return 0;
}

static void launch(const char *kernel, uint32_t grid, uint32_t block,
                   uint64_t offset, uint64_t stride, uint32_t flags) {
  struct gpu_function_info f;
  uint64_t params[2] = {memory + offset, stride};
  struct gpu_launch l = {.grid = {grid, 1, 1},
                         .block = {block, 1, 1},
                         .flags = flags,
                         .params = params,
                         .param_bytes = sizeof params};
  ok(back->function_get(device, module, kernel, &l.function, &f, &info));
  ok(back->launch(device, &l, &info));
}

static void finish(void) {
  while (back->poll(device, GPU_ALL_STREAMS, &info) == ERR_NOT_READY)
    ;
}

static void take(void) {
  finish();
  free(lines);
  lines = NULL;
  ok(back->counts(device, &counts, &lines, &info));
}

static void run(const char *kernel, uint32_t block, uint64_t offset,
                uint64_t stride) {
  launch(kernel, 1, block, offset, stride,
         GPU_LAUNCH_COUNT | GPU_LAUNCH_UNCHECKED);
  take();
}

#define COUNT(name)       ((int)counts.count[GPU_COUNT_##name])
#define METRIC(name)      gpu_metric_value(GPU_METRIC_##name, counts.count)
#define EXPECT(name, n)   assert_int_equal(COUNT(name), n)
#define NEAR(name, value) assert_true(fabs(METRIC(name) - (value)) < 1e-9)

// ---- Rows ----

// Each access has a row of its own only where that is asked for.
static void gives_accesses_rows(void **state) {
  (void)state;
  for (int asks = 0; asks < 2; asks++) {
    uint64_t requests = 0;
    launch("load4", 1, 32, 0, 4,
           GPU_LAUNCH_COUNT | (asks ? GPU_LAUNCH_ACCESSES : 0));
    take();
    for (uint32_t n = 0; n < counts.line_count; n++) {
      uint64_t here = lines[n].count[GPU_COUNT_GLOBAL_LD];
      assert_true(!lines[n].access || (asks && here));
      requests += lines[n].access ? here : 0;
    }
    assert_int_equal(requests, asks ? COUNT(GLOBAL_LD) : 0);
  }
}

static double weight(const char *name, const uint64_t *count) {
  return gpu_metric_weight((enum gpu_metric)gpu_metric_find(name), count);
}

static void weighs_ratios(void **state) {
  (void)state;
  uint64_t count[GPU_COUNT_COUNT] = {
      [GPU_COUNT_GLOBAL_LD] = 5,
      [GPU_COUNT_GLOBAL_ST] = 2,
      [GPU_COUNT_GLOBAL_LD_SECTORS] = 40,
  };
  assert_true(weight("sectors_per_request", count) == 7);
  assert_true(weight("load_sectors_per_request", count) == 5);
  assert_true(weight("global_efficiency", count) == 32 * 40);
  assert_true(weight("coalescing", count) == 40);
  assert_true(isnan(weight("global_bytes", count)));
  assert_true(isnan(weight("arithmetic_intensity", count)));
  assert_true(isnan(weight("global_load_requests", count)));
  assert_true(isnan(weight("occupancy", count)));
}

// ---- Global memory ----

static void counts_sectors(void **state) {
  (void)state;
  static const struct {
    const char *kernel;
    int offset, stride, bytes, sectors;
  } cases[] = {
      {"load4", 0, 4, 4, 4},     // 128 bytes in a row
      {"load4", 4, 4, 4, 5},     // not on a sector's edge
      {"load4", 0, 8, 4, 8},     // every other word
      {"load4", 0, 32, 4, 32},   // a sector each
      {"load4", 0, 128, 4, 32},  // no worse
      {"load4", 0, 0, 4, 1},     // all the same word
      {"load4", 124, -4, 4, 4},  // the same 128 bytes from behind
      {"load4", 64, 16, 4, 16},  // a field of an array of float4
      {"load8", 0, 8, 8, 8},     // 256 bytes
      {"load16", 0, 16, 16, 16}, // 512 bytes
      {"load16", 0, 0, 16, 1},   {"load16", 16, 16, 16, 17},
      {"load1", 0, 1, 1, 1}, // 32 bytes
      {"load1", 31, 1, 1, 2},    {"generic", 0, 4, 4, 4},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    run(cases[n].kernel, 32, (uint64_t)cases[n].offset,
        (uint64_t)cases[n].stride);
    EXPECT(GLOBAL_LD, 1);
    EXPECT(GLOBAL_LD_SECTORS, cases[n].sectors);
    // What all lanes want alike counts once, as the hardware counts it.
    EXPECT(GLOBAL_LD_BYTES, (cases[n].stride ? 32 : 1) * cases[n].bytes);
    EXPECT(GLOBAL_ST, 0);
    EXPECT(SHARED_LD, 0);
    NEAR(LD_SECTORS_PER_REQUEST, cases[n].sectors);
    // A wide load needs more of them, a scattered one does not.
    int needed = cases[n].stride ? cases[n].bytes : 1;
    EXPECT(SECTORS_NEEDED, needed);
    NEAR(COALESCING, 100.0 * needed / cases[n].sectors);
    assert_true(isnan(METRIC(ST_SECTORS_PER_REQUEST)));
  }
  run("store4", 32, 0, 32);
  EXPECT(GLOBAL_ST, 1);
  EXPECT(GLOBAL_ST_SECTORS, 32);
  EXPECT(GLOBAL_ST_BYTES, 128);
  EXPECT(GLOBAL_LD, 0);
  NEAR(COALESCING, 12.5);
  run("store4", 32, 0, 0);
  EXPECT(GLOBAL_ST_SECTORS, 1);
  EXPECT(GLOBAL_ST_BYTES, 4);
}

static void counts_part_of_a_warp(void **state) {
  (void)state;
  run("few", 32, 0, 4);
  EXPECT(GLOBAL_LD, 1);
  EXPECT(GLOBAL_LD_SECTORS, 1);
  EXPECT(GLOBAL_LD_BYTES, 32);
  EXPECT(INST, HEAD_INSTRUCTIONS + 3);
  EXPECT(THREAD_INST, 32 * (HEAD_INSTRUCTIONS + 3));
  EXPECT(THREAD_INST_ON, 32 * (HEAD_INSTRUCTIONS + 3) - 24);
  run("none", 32, 0, 4); // issued, but there is nothing to ask for
  EXPECT(GLOBAL_LD, 0);
  EXPECT(INST, HEAD_INSTRUCTIONS + 3);
  run("load4", 40, 0, 4); // a second warp of 8 threads
  EXPECT(GLOBAL_LD, 2);
  EXPECT(GLOBAL_LD_SECTORS, 4 + 1);
  EXPECT(SECTORS_NEEDED, 4 + 1);
  EXPECT(INST, 2 * (HEAD_INSTRUCTIONS + 2));
  EXPECT(THREAD_INST, 40 * (HEAD_INSTRUCTIONS + 2));
  NEAR(ACTIVE_LANES, 20);
}

// ---- Shared memory ----

static void counts_bank_conflicts(void **state) {
  (void)state;
  static const struct {
    const char *kernel;
    int stride, wavefronts, conflicts;
  } cases[] = {
      {"shared4", 4, 1, 0},
      {"shared4", 8, 2, 1},  // two words in each bank
      {"shared4", 32, 8, 7}, // words 0, 8, 16, 24: four banks, eight each
      {"shared4", 128, 32, 31},
      {"shared4", 132, 1, 0}, // a padded tile's column
      {"shared4", 12, 1, 0},  // odd strides meet each bank once
      {"shared4", 0, 1, 0},   // a broadcast
      {"shared8", 8, 2, 0},   // two halves of 128 bytes
      {"shared8", 16, 4, 2},  // each half meets its banks twice
      {"shared8", 0, 1, 0},   // all agree: one pass serves both halves
      {"shared8", 256, 32, 30},
      {"shared16", 16, 4, 0}, // four quarters of 128 bytes
      {"shared16", 32, 8, 4},
      {"shared16", 0, 2, 0},
      {"shared_pairs8", 0, 1, 0}, // neighbours read the same 8 bytes
      {"shared_generic", 8, 2, 1},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    run(cases[n].kernel, 32, 0, (uint64_t)cases[n].stride);
    EXPECT(SHARED_LD, 1);
    EXPECT(SHARED_LD_WAVEFRONTS, cases[n].wavefronts);
    EXPECT(SHARED_LD_CONFLICTS, cases[n].conflicts);
    EXPECT(GLOBAL_LD, 0);
  }
  run("shared_store4", 32, 0, 8);
  EXPECT(SHARED_ST, 1);
  EXPECT(SHARED_ST_CONFLICTS, 1);
  run("shared_store8", 32, 0, 0); // stores are not packed in pairs
  EXPECT(SHARED_ST_WAVEFRONTS, 2);
  EXPECT(SHARED_ST_CONFLICTS, 0);
}

// ---- Atomics, local memory ----

static void counts_atomics(void **state) {
  (void)state;
  run("atom", 32, 0, 4);
  EXPECT(GLOBAL_ATOM, 1);
  EXPECT(ATOMIC_THREADS, 32);
  EXPECT(ATOMIC_WAITS, 0);
  NEAR(ATOMIC_CONTENTION, 1);
  run("atom_unused", 32, 0, 4);
  EXPECT(GLOBAL_ATOM, 0);
  EXPECT(GLOBAL_RED, 1);
  run("red", 32, 0, 0);
  EXPECT(GLOBAL_RED, 1);
  EXPECT(SECTORS_NEEDED, 0); // nobody counts the sectors of atomics
  EXPECT(GLOBAL_ATOM, 0);
  EXPECT(ATOMIC_WAITS, 31);
  NEAR(ATOMIC_CONTENTION, 32);
  run("shared_atom", 32, 0, 0);
  EXPECT(SHARED_ATOM, 1);
  EXPECT(SHARED_LD, 0);
  EXPECT(ATOMIC_WAITS, 31);
}

static void counts_local_memory(void **state) {
  (void)state;
  run("local", 32, 0, 0);
  EXPECT(LOCAL_ST, 2);
  EXPECT(LOCAL_ST_SECTORS, 4 + 8);
  EXPECT(LOCAL_LD, 1);
  EXPECT(LOCAL_LD_SECTORS, 4); // the lanes' words lie side by side
  EXPECT(GLOBAL_LD, 0);
}

// ---- Instructions ----

static void counts_branches(void **state) {
  (void)state;
  run("half_goes", 64, 0, 0); // the second warp goes one way
  EXPECT(BRANCHES, 2);
  EXPECT(DIVERGENT, 1);
  NEAR(BRANCH_EFFICIENCY, 50);
  // Each warp runs the skipped line, the first with half its threads.
  EXPECT(INST, 2 * (HEAD_INSTRUCTIONS + 5));
  EXPECT(THREAD_INST, 64 * (HEAD_INSTRUCTIONS + 5) - 16);
  run("all_go", 64, 0, 0);
  EXPECT(BRANCHES, 2);
  EXPECT(DIVERGENT, 0);
  EXPECT(INST, 2 * (HEAD_INSTRUCTIONS + 4));
}

static void counts_barriers(void **state) {
  (void)state;
  run("barriers", 96, 0, 0);
  EXPECT(BARRIERS, 3 * 2);
}

static void counts_arithmetic(void **state) {
  (void)state;
  run("floats", 32, 0, 0);
  EXPECT(FADD, 64);
  EXPECT(FMUL, 32);
  EXPECT(FFMA, 32);
  EXPECT(DADD, 32);
  EXPECT(DMUL, 32);
  EXPECT(DFMA, 32);
  EXPECT(HADD, 32);
  EXPECT(HFMA, 32);
  EXPECT(HALF_FLOPS, 32 * (2 + 4));
  EXPECT(FP64, 32 * 5); // three operations and two conversions
  EXPECT(FP64_CONVERSIONS, 64);
  EXPECT(SPECIAL, 2);      // of a warp
  EXPECT(INTEGER, 32 * 2); // the head's multiplication and addition
  EXPECT(BIT, 0);
  NEAR(FLOPS_F32, 32 * (2 + 1 + 2));
  NEAR(FLOPS_F64, 32 * (1 + 1 + 2));
  NEAR(FLOPS, 32 * (5 + 4 + 6));
  run("shared_pairs8", 32, 0, 0); // more: and, multiplication, two additions
  EXPECT(BIT, 32);
  EXPECT(INTEGER, 32 * 6); // logic is counted among them
}

static void counts_communication(void **state) {
  (void)state;
  run("talk", 32, 0, 0);
  EXPECT(COMMUNICATION, 64);
  EXPECT(INST, HEAD_INSTRUCTIONS + 3);
}

static void counts_functions(void **state) {
  (void)state;
  run("calls", 32, 0, 0);
  EXPECT(INST, 3); // call, its ret, ret
  // A call that half the warp takes is tried, put off, and run for each half.
  run("half_calls", 32, 0, 0);
  EXPECT(THREAD_INST, 32 * (HEAD_INSTRUCTIONS + 3) + 16);
  EXPECT(THREAD_INST_ON, 32 * (HEAD_INSTRUCTIONS + 2) + 16 + 16);
}

// ---- Launches ----

static void adds_up_launches(void **state) {
  (void)state;
  for (int n = 0; n < 3; n++)
    launch("load4", 2, 32, 0, 4, GPU_LAUNCH_COUNT);
  launch("load4", 1, 32, 0, 4, GPU_LAUNCH_COUNT);
  launch("load4", 1, 32, 0, 4, 0); // not counted
  take();
  assert_string_equal(counts.function, "load4");
  assert_int_equal(counts.count[GPU_COUNT_LAUNCHES], 3);
  assert_int_equal(counts.grid[0], 2);
  EXPECT(GLOBAL_LD, 6);
  assert_false(counts.is_cut);
  take();
  assert_int_equal(counts.count[GPU_COUNT_LAUNCHES], 1);
  EXPECT(GLOBAL_LD, 1);
  struct gpu_line_counts *none;
  assert_int_equal(back->counts(device, &counts, &none, &info), ERR_NOT_FOUND);
  assert_null(none);
}

// As many blocks as make several host threads take part, checked or not.
static void is_the_same_every_time(void **state) {
  (void)state;
  static const uint32_t flags[] = {GPU_LAUNCH_COUNT,
                                   GPU_LAUNCH_COUNT | GPU_LAUNCH_UNCHECKED,
                                   GPU_LAUNCH_COUNT};
  struct gpu_counts first = {0};
  for (int n = 0; n < 3; n++) {
    launch("half_goes", 1000, 128, 0, 0, flags[n]);
    take();
    EXPECT(BRANCHES, 4000);
    EXPECT(DIVERGENT, 1000);
    if (n)
      assert_memory_equal(first.count, counts.count, sizeof first.count);
    first = counts;
  }
}

// ---- Names, occupancy ----

static void names_are_unique(void **state) {
  (void)state;
  for (int m = 0; m < GPU_METRIC_COUNT; m++) {
    const struct gpu_metric_row *r = &gpu_metrics[m];
    assert_int_equal(gpu_metric_find(r->name), m);
    if (*r->nsight)
      assert_int_equal(gpu_metric_find(r->nsight), m);
    assert_true((r->kind == GPU_METRIC_OWN) == !*r->nsight);
    assert_true(strlen(r->meaning) > 10);
    assert_int_equal(r->meaning[strlen(r->meaning) - 1], '.');
  }
  assert_int_equal(gpu_metric_find(""), -1);
  assert_int_equal(gpu_metric_find("nothing"), -1);
}

// An A100 (108 multiprocessors of 64 warps) and the CUDA guide's rules.
static void computes_occupancy(void **state) {
  (void)state;
  static const struct gpu_occupancy_limits a100 = {.multiprocessors = 108,
                                                   .warps = 64,
                                                   .blocks = 32,
                                                   .registers = 65536,
                                                   .shared_bytes = 167936,
                                                   .shared_reserved = 1024};
  static const struct {
    uint32_t grid, block, shared;
    int registers;
    double held, occupancy;
    const char *limiter;
  } cases[] = {
      {1000, 256, 0, 32, 8, 100, "size"},
      {1000, 1024, 0, 32, 2, 100, "size"},
      {1000, 768, 0, 32, 2, 75, "size"},         // 24 warps: two fit into 64
      {1000, 32, 0, 16, 32, 50, "number"},       // one warp each, 32 blocks
      {1000, 256, 0, 33, 6, 75, "registers"},    // 40 a thread, 1280 a warp, 51
      {1000, 256, 0, 255, 1, 12.5, "registers"}, // 8192 a warp: 8 warps
      {1000, 256, 48 << 10, 32, 3, 37.5, "shared"},
      {1000, 256, 0, -1, 8, 100, "size"},
  };
  struct gpu_occupancy o;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    struct gpu_occupancy_need need = {.grid = {cases[n].grid, 1, 1},
                                      .block = {cases[n].block, 1, 1},
                                      .shared_static = cases[n].shared,
                                      .registers = cases[n].registers,
                                      .spill_bytes = -1};
    gpu_occupancy_compute(&a100, &need, &o);
    assert_true(gpu_occupancy_value(&o, GPU_METRIC_BLOCKS_PER_SM) ==
                cases[n].held);
    assert_true(gpu_occupancy_value(&o, GPU_METRIC_OCCUPANCY) ==
                cases[n].occupancy);
    assert_non_null(strstr(o.limiter, cases[n].limiter));
    assert_true(isnan(gpu_occupancy_value(&o, GPU_METRIC_SPILL_BYTES)));
  }
  assert_true(isnan(gpu_occupancy_value(&o, GPU_METRIC_REGISTERS)));
  // A thread is given 16 registers even if it needs eight.
  struct gpu_occupancy_need few = {
      .grid = {108, 1, 1}, .block = {256, 1, 1}, .registers = 8};
  gpu_occupancy_compute(&a100, &few, &o);
  assert_true(gpu_occupancy_value(&o, GPU_METRIC_REGISTERS) == 8);
  assert_true(gpu_occupancy_value(&o, GPU_METRIC_LIMIT_REGISTERS) == 16);
  // 108 blocks of 8 warps, one on each multiprocessor that could hold eight.
  struct gpu_occupancy_need one = {
      .grid = {108, 1, 1}, .block = {256, 1, 1}, .registers = 32};
  gpu_occupancy_compute(&a100, &one, &o);
  assert_true(gpu_occupancy_value(&o, GPU_METRIC_WAVES) == 0.125);
  assert_true(gpu_occupancy_value(&o, GPU_METRIC_ACHIEVED_OCCUPANCY) == 12.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gives_accesses_rows),
      cmocka_unit_test(weighs_ratios),
      cmocka_unit_test(counts_sectors),
      cmocka_unit_test(counts_part_of_a_warp),
      cmocka_unit_test(counts_bank_conflicts),
      cmocka_unit_test(counts_atomics),
      cmocka_unit_test(counts_local_memory),
      cmocka_unit_test(counts_branches),
      cmocka_unit_test(counts_barriers),
      cmocka_unit_test(counts_arithmetic),
      cmocka_unit_test(counts_communication),
      cmocka_unit_test(counts_functions),
      cmocka_unit_test(adds_up_launches),
      cmocka_unit_test(is_the_same_every_time),
      cmocka_unit_test(names_are_unique),
      cmocka_unit_test(computes_occupancy),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
