// SPDX-License-Identifier: Apache-2.0
// The driver back end on a real GPU; skipped where there is none. Every test
// runs in a child of its own, because a fault spoils a process for good.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/cuda/cuda_driver.h"
#include "gpu/gpu.h"

enum { COUNT = 1003, SKIPPED = 77 };

// out[i + skip] = 2 * in[i].
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry twice(.param .u64 in, .param .u64 out, .param .s32 n,\n"
    "                      .param .s64 skip)\n{\n"
    "  .reg .pred %p<4>;\n  .reg .b32 %r<6>;\n  .reg .b64 %d<8>;\n"
    "  .reg .f32 %f<3>;\n"
    "  ld.param.u64 %d1, [in];\n  ld.param.u64 %d2, [out];\n"
    "  ld.param.s32 %r1, [n];\n  ld.param.s64 %d3, [skip];\n"
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n"
    "  mov.u32 %r4, %tid.x;\n  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.s32 %p1, %r5, %r1;\n  @%p1 bra DONE;\n"
    "  mul.wide.s32 %d4, %r5, 4;\n  add.s64 %d5, %d1, %d4;\n"
    "  ld.global.f32 %f1, [%d5];\n  add.f32 %f2, %f1, %f1;\n"
    "  add.s64 %d6, %d2, %d4;\n  shl.b64 %d7, %d3, 2;\n"
    "  add.s64 %d6, %d6, %d7;\n  st.global.f32 [%d6], %f2;\n"
    "DONE:\n  ret;\n}\n";

#define must(call)                                                             \
  do {                                                                         \
    struct err_info must_e = {0};                                              \
    if (call) {                                                                \
      fprintf(stderr, "%s: %s\n", #call, must_e.text);                         \
      _exit(1);                                                                \
    }                                                                          \
  } while (0)

static struct gpu_device *d;
static const struct gpu_backend *b = &gpu_cuda_backend;
static gpu_handle function;
static struct gpu_function_info info;

static void open_device(void) {
  struct gpu_options options = {0};
  gpu_handle module;
  if (b->count(NULL) == 0)
    _exit(SKIPPED);
  must(b->open(0, &options, &d, &must_e));
  must(b->module_load(d, ptx, strlen(ptx), &module, &must_e));
  must(b->function_get(d, module, "twice", &function, &info, &must_e));
}

// The launch's parameters hold until the next one is made.
static struct gpu_launch launch_of(gpu_ptr in, gpu_ptr out, int64_t skip,
                                   gpu_handle stream) {
  static struct {
    gpu_ptr in, out;
    int32_t n, pad;
    int64_t skip;
  } params;
  params.in = in;
  params.out = out;
  params.n = COUNT;
  params.skip = skip;
  return (struct gpu_launch){
      .function = function,
      .stream = stream,
      .grid = {(COUNT + 127) / 128, 1, 1},
      .block = {128, 1, 1},
      .params = &params,
      .param_bytes = sizeof params,
  };
}

static enum err launch(gpu_ptr in, gpu_ptr out, int64_t skip,
                       gpu_handle stream) {
  struct gpu_launch l = launch_of(in, out, skip, stream);
  must(b->launch(d, &l, &must_e));
  struct err_info e;
  return gpu_synchronize(d, stream, &e);
}

// Copies numbers in, doubles them, and says whether they came back right.
static int run(unsigned flags, gpu_handle stream) {
  static float in[COUNT], out[COUNT];
  gpu_ptr din, dout;
  for (int i = 0; i < COUNT; i++)
    in[i] = (float)i;
  must(b->mem_alloc(d, sizeof in, flags, &din, &must_e));
  must(b->mem_alloc(d, sizeof out, flags, &dout, &must_e));
  must(b->copy_in(d, din, in, sizeof in, stream, &must_e));
  if (launch(din, dout, 0, stream))
    return 0;
  must(b->copy_out(d, out, dout, sizeof out, stream, &must_e));
  must(gpu_synchronize(d, stream, &must_e));
  must(b->mem_free(d, din, &must_e));
  must(b->mem_free(d, dout, &must_e));
  for (int i = 0; i < COUNT; i++)
    if (out[i] != 2 * in[i])
      return 0;
  return 1;
}

static int in_child(int (*test)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    open_device();
    _exit(test() ? 0 : 1);
  }
  int status;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
    skip();
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#define TEST(name)                                                             \
  static int name##_body(void);                                                \
  static void name(void **state) {                                             \
    (void)state;                                                               \
    assert_true(in_child(name##_body));                                        \
  }                                                                            \
  static int name##_body(void)

TEST(runs_a_kernel) {
  return info.param_count == 4 && info.params[3].offset == 24 &&
         info.max_threads_per_block == 1024 && run(0, 0);
}

TEST(runs_in_guarded_memory) {
  for (int i = 0; i < 50; i++)
    if (!run(GPU_ALLOC_GUARDED, 0))
      return 0;
  return 1;
}

TEST(runs_on_streams_with_events) {
  gpu_handle stream, from, to;
  double ms = -1;
  must(b->stream_create(d, &stream, &must_e));
  must(b->event_create(d, &from, &must_e));
  must(b->event_create(d, &to, &must_e));
  must(b->event_record(d, from, stream, &must_e));
  int right = run(0, stream);
  must(b->event_record(d, to, stream, &must_e));
  must(gpu_synchronize(d, GPU_ALL_STREAMS, &must_e));
  must(b->event_elapsed(d, from, to, &ms, &must_e));
  must(b->stream_destroy(d, stream, &must_e));
  return right && ms > 0 && ms < 1e4 &&
         b->stream_destroy(d, stream, NULL) == ERR_ARGUMENT;
}

static void capture_launch(gpu_ptr in, gpu_ptr out, gpu_handle stream,
                           uint32_t node) {
  struct gpu_launch l = launch_of(in, out, 0, stream);
  l.node = node;
  must(b->launch(d, &l, &must_e));
}

// Launches the graph: has every element of `at` become `factor` times its index?
static int gives(gpu_handle graph, gpu_handle stream, gpu_ptr at,
                 float factor) {
  static float out[COUNT];
  must(b->graphs->launch(d, graph, stream, &must_e));
  must(b->copy_out(d, out, at, sizeof out, stream, &must_e));
  must(gpu_synchronize(d, stream, &must_e));
  for (int i = 0; i < COUNT; i++)
    if (out[i] != factor * (float)i)
      return 0;
  return 1;
}

// Two kernels on two streams, the second of which an event takes in, and back.
TEST(launches_a_captured_graph) {
  static float in[COUNT];
  gpu_ptr x, twice, out;
  gpu_handle s, t, fork, join, graph;
  const struct gpu_graphs *g = b->graphs;
  for (int i = 0; i < COUNT; i++)
    in[i] = (float)i;
  must(b->mem_alloc(d, sizeof in, 0, &x, &must_e));
  must(b->mem_alloc(d, sizeof in, 0, &twice, &must_e));
  must(b->mem_alloc(d, sizeof in, 0, &out, &must_e));
  must(b->copy_in(d, x, in, sizeof in, 0, &must_e));
  must(gpu_synchronize(d, GPU_ALL_STREAMS, &must_e));
  must(b->stream_create(d, &s, &must_e));
  must(b->stream_create(d, &t, &must_e));
  must(b->event_create(d, &fork, &must_e));
  must(b->event_create(d, &join, &must_e));
  must(g->capture_begin(d, s, &must_e));
  capture_launch(x, twice, s, 1);
  must(b->event_record(d, fork, s, &must_e));
  must(b->stream_wait(d, t, fork, &must_e));
  capture_launch(twice, out, t, 2);
  must(b->event_record(d, join, t, &must_e));
  must(b->stream_wait(d, s, join, &must_e));
  must(g->capture_end(d, s, &graph, &must_e));
  must(g->upload(d, graph, s, &must_e));
  if (!gives(graph, s, out, 4) || !gives(graph, 0, out, 4))
    return 0;
  struct gpu_launch l = launch_of(x, out, 0, 0);
  l.node = 2;
  must(g->update(d, graph, &l, &must_e));
  if (!gives(graph, s, out, 2))
    return 0;
  must(g->destroy(d, graph, &must_e));
  return g->launch(d, graph, s, NULL) == ERR_ARGUMENT;
}

// A stream that is not brought back ends the capture without a graph.
TEST(a_capture_that_fails_is_over) {
  gpu_ptr x;
  gpu_handle s, t, fork, graph;
  must(b->mem_alloc(d, COUNT * 4, 0, &x, &must_e));
  must(b->stream_create(d, &s, &must_e));
  must(b->stream_create(d, &t, &must_e));
  must(b->event_create(d, &fork, &must_e));
  must(b->graphs->capture_begin(d, s, &must_e));
  must(b->event_record(d, fork, s, &must_e));
  must(b->stream_wait(d, t, fork, &must_e));
  capture_launch(x, x, t, 1);
  return b->graphs->capture_end(d, s, &graph, NULL) != ERR_OK && run(0, s) &&
         b->graphs->capture_begin(d, 0, NULL) == ERR_ARGUMENT;
}

// One element past an array whose size is a multiple of 16 faults; where
// alignment leaves slack, the canary in it is found.
TEST(sees_one_element_past_the_end) {
  gpu_ptr in, out;
  struct gpu_finding f;
  must(b->mem_alloc(d, COUNT * 4, GPU_ALLOC_GUARDED, &in, &must_e));
  must(b->mem_alloc(d, COUNT * 4, GPU_ALLOC_GUARDED, &out, &must_e));
  must(b->mem_set(d, &(struct gpu_fill){.to = in, .width = 4, .count = COUNT},
                  &must_e));
  if (launch(in, out, 1, 0) != ERR_OUT_OF_BOUNDS || b->findings(d, &f, 1) != 1)
    return 0;
  if (f.base != out || f.offset != COUNT * 4 || f.base_bytes != COUNT * 4)
    return 0;
  if (launch(in, out, 0, 0) != ERR_OK) // repaired, and not sticky
    return 0;
  return launch(in, out, 2, 0) == ERR_OUT_OF_BOUNDS;
}

TEST(sees_a_far_overrun_and_says_that_it_sticks) {
  gpu_ptr in, out;
  must(b->mem_alloc(d, COUNT * 4, GPU_ALLOC_GUARDED, &in, &must_e));
  must(b->mem_alloc(d, COUNT * 4, GPU_ALLOC_GUARDED, &out, &must_e));
  must(b->mem_set(d, &(struct gpu_fill){.to = in, .width = 4, .count = COUNT},
                  &must_e));
  if (launch(in, out, 4096, 0) != ERR_OUT_OF_BOUNDS)
    return 0;
  return b->poll(d, 0, NULL) == ERR_OUT_OF_BOUNDS &&
         cuda_is_sticky(CUDA_ILLEGAL_ADDRESS);
}

TEST(refuses_stale_handles_and_impossible_sizes) {
  gpu_ptr p;
  struct gpu_function_info none;
  gpu_handle h;
  return b->mem_alloc(d, (size_t)1 << 60, 0, &p, NULL) == ERR_NOMEM &&
         b->mem_free(d, 12345, NULL) == ERR_ARGUMENT &&
         b->function_get(d, 99, "twice", &h, &none, NULL) == ERR_ARGUMENT &&
         b->event_poll(d, 7, NULL) == ERR_ARGUMENT &&
         b->module_load(d, "nonsense", 8, &h, NULL) != ERR_OK;
}

// Without a driver the reason is said in words; runs everywhere.
static void names_what_is_missing(void **state) {
  (void)state;
  struct err_info e = {0};
  if (b->count(&e) == 0) {
    assert_int_not_equal(e.code, ERR_OK);
    assert_true(strlen(e.text) > 10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_a_kernel),
      cmocka_unit_test(runs_in_guarded_memory),
      cmocka_unit_test(runs_on_streams_with_events),
      cmocka_unit_test(launches_a_captured_graph),
      cmocka_unit_test(a_capture_that_fails_is_over),
      cmocka_unit_test(sees_one_element_past_the_end),
      cmocka_unit_test(sees_a_far_overrun_and_says_that_it_sticks),
      cmocka_unit_test(refuses_stale_handles_and_impossible_sizes),
      cmocka_unit_test(names_what_is_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
