// SPDX-License-Identifier: Apache-2.0
// The virtual GPU's debugger on kernels built with -G
// (tests/ptx/kernels/debug.cu): stopping, stepping, going back, variables.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "gpu/gpu.h"

static const struct gpu_backend *const back = &gpu_virtual_backend;
static struct gpu_device *device;
static gpu_handle module;
static struct err_info info;
static struct gpu_debug_stop at;
static char text[GPU_DEBUG_TEXT_BYTES];
static struct str printed = STR_INIT;

static void keep_print(void *context, const char *t, size_t bytes) {
  str_add_bytes(context, t, bytes);
}

static void ok(enum err err) {
  if (err)
    fail_msg("%s: %s", err_kind(err), info.text);
}

static int set_up(void **state) {
  (void)state;
  char *path = file_own("tests/ptx/kernels/debug.ptx"), *ptx;
  size_t bytes;
  struct gpu_options options = {.print = keep_print, .context = &printed};
  ok(file_read(path, 1 << 24, &ptx, &bytes, &info));
  ok(back->open(0, &options, &device, &info));
  ok(back->module_load(device, ptx, bytes, &module, &info));
  free(ptx);
  free(path);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  back->close(device);
  str_free(&printed);
  return 0;
}

static void finish(void) {
  enum err err;
  while ((err = back->poll(device, GPU_ALL_STREAMS, &info)) == ERR_NOT_READY)
    ;
  ok(err);
}

static gpu_ptr upload(const void *data, size_t bytes) {
  gpu_ptr p = 0;
  ok(back->mem_alloc(device, bytes, 0, &p, &info));
  ok(back->copy_in(device, p, data, bytes, 0, &info));
  finish();
  return p;
}

static enum err answer(void) {
  finish();
  return back->debug_answer(device, &at, text, sizeof text, &info);
}

static void begin(const char *kernel, uint32_t grid, uint32_t block,
                  uint32_t shared, const void *params, uint32_t bytes) {
  struct gpu_launch l = {.grid = {grid, 1, 1},
                         .block = {block, 1, 1},
                         .shared_bytes = shared,
                         .params = params,
                         .param_bytes = bytes};
  ok(back->function_get(device, module, kernel, &l.function, NULL, &info));
  ok(back->debug_begin(device, &l, &info));
  ok(answer());
  assert_int_equal(at.reason, GPU_DEBUG_BEGUN);
}

static void end(void) {
  ok(back->debug_end(device, &info));
  finish();
}

static enum err ask(const char *command) {
  ok(back->debug_command(device, command, &info));
  return answer();
}

static void say(const char *command) {
  enum err err = ask(command);
  if (err)
    fail_msg("%s: %s: %s", command, err_kind(err), info.text);
}

// Runs the command and looks where the launch stands then.
static void lands(const char *command, enum gpu_debug_reason why, int line,
                  uint32_t block, uint32_t thread) {
  say(command);
  if (at.reason != (int32_t)why || at.line != line || at.block[0] != block ||
      at.thread[0] != thread)
    fail_msg("%s: reason %d at line %d, block %u, thread %u", command,
             at.reason, at.line, at.block[0], at.thread[0]);
}

static int line_of(const char *part) {
  static char *source;
  static size_t bytes;
  if (!source) {
    char *path = file_own("tests/ptx/kernels/debug.cu");
    ok(file_read(path, 1 << 20, &source, &bytes, &info));
    free(path);
  }
  const char *found = strstr(source, part);
  assert_non_null(found);
  int line = 1;
  for (const char *s = source; s < found; s++)
    line += *s == '\n';
  return line;
}

static void steps_begin(uint32_t grid, uint32_t block, gpu_ptr *out) {
  static const int zeros[256];
  gpu_ptr p = upload(zeros, sizeof zeros);
  if (out)
    *out = p;
  begin("steps", grid, block, 0, &p, sizeof p);
}

// ---- Stopping and stepping ----

static void test_break_and_step(void **state) {
  (void)state;
  int first = line_of("int t = threadIdx.x");
  char command[80];
  steps_begin(2, 64, NULL);
  snprintf(command, sizeof command, "break %d", first);
  say(command);
  lands("run", GPU_DEBUG_BREAKPOINT, first, 0, 0);
  assert_int_equal(at.number, 1);
  assert_int_equal(at.lanes, UINT32_MAX);
  assert_string_equal(at.file, "debug.cu");
  lands("next", GPU_DEBUG_STEPPED, first + 1, 0, 0);
  lands("next", GPU_DEBUG_STEPPED, first + 2, 0, 0);
  lands("next", GPU_DEBUG_STEPPED, first + 3, 0, 0);
  assert_int_equal(at.lanes, 0xFF); // t < 8
  lands("thread 9", GPU_DEBUG_STEPPED, first + 5, 0, 9);
  lands("next", GPU_DEBUG_STEPPED, first + 6, 0, 9);
  // The barrier waits for warp 1, whose breakpoints do not count now.
  lands("next", GPU_DEBUG_STEPPED, first + 7, 0, 9);
  lands("continue", GPU_DEBUG_BREAKPOINT, first, 1, 0);
  lands("continue", GPU_DEBUG_BREAKPOINT, first, 1, 32);
  say("continue");
  assert_int_equal(at.reason, GPU_DEBUG_ENDED);
  end();
}

static void test_break_for_one_thread(void **state) {
  (void)state;
  int line = line_of("f += 200");
  char command[80];
  steps_begin(3, 96, NULL);
  snprintf(command, sizeof command, "break %d block 2 thread (70,0,0)", line);
  say(command);
  lands("run", GPU_DEBUG_BREAKPOINT, line, 2, 70);
  say("continue");
  assert_int_equal(at.reason, GPU_DEBUG_ENDED);
  end();
}

static void test_calls(void **state) {
  (void)state;
  int line = line_of("int f = fact(");
  int inner = line_of("if (n < 2)");
  char command[80];
  steps_begin(1, 32, NULL);
  snprintf(command, sizeof command, "break %d", line);
  say(command);
  lands("run", GPU_DEBUG_BREAKPOINT, line, 0, 0);
  lands("thread 3", GPU_DEBUG_STEPPED, line, 0, 3);
  lands("step", GPU_DEBUG_STEPPED, inner, 0, 3);
  assert_int_equal(at.depth, 1);
  lands("step", GPU_DEBUG_STEPPED, inner + 2, 0, 3);
  lands("step", GPU_DEBUG_STEPPED, inner, 0, 3);
  assert_int_equal(at.depth, 2);
  say("where");
  snprintf(command, sizeof command, "debug.cu:%d", line);
  assert_non_null(strstr(text, command));
  snprintf(command, sizeof command, "debug.cu:%d", inner + 2);
  assert_non_null(strstr(text, command));
  say("finish");
  assert_int_equal(at.depth, 1);
  assert_int_equal(at.line, inner + 2);
  lands("finish", GPU_DEBUG_STEPPED, line, 0, 3);
  assert_int_equal(at.depth, 0);
  end();
}

static void test_barrier(void **state) {
  (void)state;
  int line = line_of("__syncthreads();\n  out[t]");
  steps_begin(1, 64, NULL);
  lands("barrier", GPU_DEBUG_STEPPED, line, 0, 0);
  lands("warp 1", GPU_DEBUG_STEPPED, line_of("int t = threadIdx.x") - 1, 0, 32);
  say("warps");
  assert_non_null(strstr(text, "* warp 1"));
  lands("barrier", GPU_DEBUG_STEPPED, line, 0, 32);
  say("warp 0");
  say("stepi");
  say("stepi");
  end();
}

// ---- Back ----

static void test_back(void **state) {
  (void)state;
  int first = line_of("int t = threadIdx.x");
  char command[80];
  gpu_ptr out;
  int result[64];
  steps_begin(1, 64, &out);
  snprintf(command, sizeof command, "break %d", first);
  say(command);
  lands("run", GPU_DEBUG_BREAKPOINT, first, 0, 0);
  uint64_t there = at.steps;
  lands("next 3", GPU_DEBUG_STEPPED, first + 3, 0, 0);
  lands("back", GPU_DEBUG_STEPPED, first + 2, 0, 0);
  lands("back-next", GPU_DEBUG_STEPPED, first + 1, 0, 0);
  lands("back-next", GPU_DEBUG_STEPPED, first, 0, 0);
  assert_int_equal(at.steps, there);
  say("back");
  assert_int_equal(at.reason, GPU_DEBUG_NO_EARLIER);
  lands("continue", GPU_DEBUG_BREAKPOINT, first, 0, 0);
  lands("continue", GPU_DEBUG_BREAKPOINT, first, 0, 32);
  say("continue");
  assert_int_equal(at.reason, GPU_DEBUG_ENDED);
  lands("back-continue", GPU_DEBUG_BREAKPOINT, first, 0, 32);
  lands("back-continue", GPU_DEBUG_BREAKPOINT, first, 0, 0);
  assert_int_equal(at.steps, there);
  say("delete");
  say("continue");
  end();
  ok(back->copy_out(device, result, out, sizeof result, 0, &info));
  finish();
  static const int factorial[] = {1, 2, 6, 24};
  for (int t = 0; t < 64; t++)
    assert_int_equal(result[t], factorial[t % 4] + (t < 8 ? 100 : 200));
}

// A launch begun again has the memory that it began with.
static void test_run_again(void **state) {
  (void)state;
  int zeros[2] = {0, 0}, out[2];
  gpu_ptr p[2];
  p[0] = upload(zeros, sizeof zeros);
  p[1] = p[0] + 4;
  begin("lock", 2, 32, 0, p, sizeof p);
  say("continue");
  assert_int_equal(at.reason, GPU_DEBUG_ENDED);
  say("run");
  assert_int_equal(at.reason, GPU_DEBUG_ENDED);
  end();
  ok(back->copy_out(device, out, p[0], sizeof out, 0, &info));
  finish();
  assert_int_equal(out[1], 64);
}

// ---- Mistakes ----

static void test_finding(void **state) {
  (void)state;
  int line = line_of("float v = x[i];");
  float zeros[40] = {0};
  struct {
    gpu_ptr x, out;
    int n;
  } params = {upload(zeros, sizeof zeros), upload(zeros, sizeof zeros), 40};
  begin("wrong", 1, 64, 0, &params, sizeof params);
  lands("continue", GPU_DEBUG_FINDING, line, 0, 40);
  assert_int_equal(at.finding.kind, ERR_OUT_OF_BOUNDS);
  assert_int_equal(at.finding.at.line, line);
  lands("continue", GPU_DEBUG_FINDING, line + 1, 0, 40);
  say("continue");
  assert_int_equal(at.reason, GPU_DEBUG_ENDED);
  end();
}

static void expect_error(const char *command, enum err wanted,
                         const char *part) {
  assert_int_equal(ask(command), wanted);
  if (!strstr(info.text, part))
    fail_msg("%s: %s", command, info.text);
}

static void test_errors(void **state) {
  (void)state;
  assert_int_equal(ask("step"), ERR_ARGUMENT);
  steps_begin(1, 32, NULL);
  expect_error("fly", ERR_ARGUMENT, "no command \"fly\"");
  expect_error("break 1000", ERR_NOT_FOUND, "no code at line 1000");
  expect_error("break nothing", ERR_NOT_FOUND, "no function nothing");
  expect_error("break 5 thread 99", ERR_ARGUMENT, "thread (99,0,0)");
  expect_error("thread 32", ERR_ARGUMENT, "thread (32,0,0)");
  expect_error("delete 7", ERR_NOT_FOUND, "no breakpoint or watch 7");
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_break_and_step),
      cmocka_unit_test(test_break_for_one_thread),
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_barrier),
      cmocka_unit_test(test_back),
      cmocka_unit_test(test_run_again),
      cmocka_unit_test(test_finding),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
