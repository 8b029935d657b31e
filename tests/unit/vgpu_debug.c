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

#include "tests/unit/vgpu_fixture.h"

static struct gpu_debug_stop at;
static char text[GPU_DEBUG_TEXT_BYTES];

static int set_up(void **state) {
  (void)state;
  return open_with("tests/ptx/kernels/debug.ptx");
}

static enum err answer(void) {
  ok(finish());
  return back->debug_answer(device, &at, text, sizeof text, &info);
}

static void begin_grid(const char *kernel, const uint32_t grid[3],
                       uint32_t block, uint32_t shared, const void *params,
                       uint32_t bytes) {
  struct gpu_launch l = {.grid = {grid[0], grid[1], grid[2]},
                         .block = {block, 1, 1},
                         .shared_bytes = shared,
                         .params = params,
                         .param_bytes = bytes};
  ok(back->function_get(device, module, kernel, &l.function, NULL, &info));
  ok(back->debug_begin(device, &l, 0, &info));
  ok(answer());
  assert_int_equal(at.reason, GPU_DEBUG_BEGUN);
}

static void begin(const char *kernel, uint32_t grid, uint32_t block,
                  uint32_t shared, const void *params, uint32_t bytes) {
  begin_grid(kernel, (const uint32_t[3]){grid, 1, 1}, block, shared, params,
             bytes);
}

static void end(void) {
  ok(back->debug_end(device, &info));
  ok(finish());
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

static void has(const char *part) {
  if (!strstr(text, part))
    fail_msg("\"%s\" is not in\n%s", part, text);
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

static void test_until_another_thread(void **state) {
  (void)state;
  int line = line_of("int t = threadIdx.x") + 1;
  char command[80];
  steps_begin(2, 64, NULL);
  snprintf(command, sizeof command, "until %d thread 40", line);
  lands(command, GPU_DEBUG_STEPPED, line, 0, 40);
  snprintf(command, sizeof command, "until %d block 1 thread 3", line);
  lands(command, GPU_DEBUG_STEPPED, line, 1, 3);
  snprintf(command, sizeof command, "until %d", line + 1);
  lands(command, GPU_DEBUG_STEPPED, line + 1, 1, 3);
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

static void test_warps(void **state) {
  (void)state;
  char command[200];
  int line = line_of("f += 200");
  steps_begin(1, 64, NULL);
  snprintf(command, sizeof command, "break %d thread 40", line);
  say(command);
  lands("run", GPU_DEBUG_BREAKPOINT, line, 0, 40);
  say("warps"); // warp 0 had its turn
  snprintf(command, sizeof command,
           "  warp 0  32 lanes (ffffffff) at debug.cu:%d, waits at barrier 0\n"
           "* warp 1  32 lanes (ffffffff) at debug.cu:%d\n",
           line_of("__syncthreads();\n  out[t]"), line);
  has(command);
  end();
}

// A block's last warp may have one thread, and then has one lane.
static void test_a_single_lane(void **state) {
  (void)state;
  steps_begin(1, 33, NULL);
  say("warps");
  has("* warp 0  32 lanes (ffffffff) at ");
  has("  warp 1   1 lane (00000001) at ");
  end();
}

// Lanes that have parted: the ones of the thread in focus go on alone.
static void test_parted_lanes(void **state) {
  (void)state;
  char command[80];
  int line = line_of("f += 100");
  steps_begin(1, 32, NULL);
  snprintf(command, sizeof command, "until %d", line - 1);
  say(command);
  say("lane 20");
  lands("next", GPU_DEBUG_STEPPED, line + 2, 0, 20);
  assert_int_equal(at.lanes, 0xFFFFFF00);
  char places[160];
  snprintf(places, sizeof places,
           "grid 1 1 1\nblock 32 1 1\nblocks 1 1\nwarp 0 ffffffff ffffffff\n"
           "at 000000ff %d\nat ffffff00 %d\n",
           line - 1, line + 2);
  say("survey");
  assert_string_equal(text, places);
  say("cells t * 2");
  has("0 0\n1 2\n");
  has("31 62\n");
  assert_int_equal(ask("cells nothing"), ERR_NOT_FOUND);
  lands("lane 3", GPU_DEBUG_STEPPED, line - 1, 0, 3); // its branch is to come
  assert_int_equal(at.lanes, 0xFF);
  lands("next", GPU_DEBUG_STEPPED, line, 0, 3);
  lands("next", GPU_DEBUG_STEPPED, line + 3, 0, 3);
  assert_int_equal(at.lanes, UINT32_MAX); // they have met again
  lands("back", GPU_DEBUG_STEPPED, line, 0, 3);
  lands("back", GPU_DEBUG_STEPPED, line - 1, 0, 3);
  assert_int_equal(at.lanes, UINT32_MAX);
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
  ok(finish());
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
  ok(finish());
  assert_int_equal(out[1], 64);
}

// ---- Variables ----

struct given {
  int x, y;
  float w[3];
  unsigned bits;
};

static void variables_begin(void) {
  float x[64];
  for (int i = 0; i < 64; i++)
    x[i] = (float)i * 0.5f;
  struct {
    gpu_ptr x, out;
    int n;
    struct given given;
  } params = {upload(x, sizeof x),
              upload(x, sizeof x),
              64,
              {7, 8, {1, 2, 3}, 5 | 2 << 3}};
  begin("variables", 2, 32, 128, &params,
        offsetof(__typeof__(params), given) + sizeof params.given);
}

static void prints(const char *expression, const char *wanted) {
  char command[200], line[400];
  snprintf(command, sizeof command, "print %s", expression);
  say(command);
  snprintf(line, sizeof line, "%s = %s\n", expression, wanted);
  assert_string_equal(text, line);
}

static void refuses(const char *expression, enum err err, const char *part) {
  char command[200];
  snprintf(command, sizeof command, "print %s", expression);
  assert_int_equal(ask(command), err);
  if (!strstr(info.text, part))
    fail_msg("%s: %s", expression, info.text);
}

static void go_to(const char *part) {
  char command[80];
  snprintf(command, sizeof command, "break %d", line_of(part));
  say(command);
  lands("run", GPU_DEBUG_BREAKPOINT, line_of(part), 0, 0);
}

static void test_variables(void **state) {
  (void)state;
  variables_begin();
  go_to("point p = {");
  prints("i", "0");
  refuses("c", ERR_UNINITIALISED, "c has no value yet (line 34)");
  refuses("p", ERR_UNINITIALISED, "p has no value yet");
  say("delete");
  go_to("if (odd)");
  say("thread 5");
  prints("i", "5");
  prints("n", "64");
  prints("p", "{x = 2, y = 2, w = {1.5, 2, 3}, a = 5, b = 9}");
  prints("given", "{x = 7, y = 8, w = {1, 2, 3}, a = 5, b = 2}");
  prints("c", "GREEN");
  prints("letter", "97 'a'");
  prints("big", "1099511627776");
  prints("d", "0.1");
  prints("v", "{x = 1, y = 2, z = 3, w = 4}");
  prints("counts", "{5, 6, 7}");
  prints("sum", "34");
  prints("threadIdx", "{x = 5, y = 0, z = 0}");
  prints("gridDim.x", "2");
  prints("table", "{1, 2, 3, 4}");
  prints("ns::depth", "7");
  refuses("k", ERR_NOT_FOUND, "no variable k here"); // its loop is over
  say("locals");
  has("x = 0x");
  has("(float[64] x)\n");
  has("(&x[5])\n");
  say("values");
  has("c = \"GREEN\"\n");
  has("letter = 97\n");
  end();
}

static void test_expressions(void **state) {
  (void)state;
  variables_begin();
  go_to("if (odd)");
  say("thread 5");
  prints("i * 2 + counts[1] % 4", "12");
  prints("-7 / 2", "-3");
  prints("i > 4 && x[i] == 2.5f", "1");
  prints("i < 4 || !n", "0");
  prints("-1 < 1u", "0"); // as in C
  prints("1 ? i : n / 0", "5");
  prints("n == 0 && x[1000000] > 0", "0"); // the right side is left alone
  prints("p.w[p.y - 1]", "2");
  prints("(&p)->y", "2");
  prints("*from", "2.5");
  prints("*(x + 3)", "1.5");
  prints("1 << 4 | 3", "19");
  prints("c == 5", "1");
  prints("p.b", "9");
  prints("'a' == letter", "1");
  prints("0x10 ^ 1", "17");
  prints("(int)2.75f + (unsigned char)257", "3");
  prints("(float)i / 2", "2.5");
  prints("((float *)&p)[2]", "1.5");
  say("print /x i + 250");
  assert_string_equal(text, "i + 250 = 0xff\n");
  say("print/x x[5]");
  assert_string_equal(text, "x[5] = 0x40200000\n");
  refuses("(point)i", ERR_ARGUMENT, "can be made a point");
  refuses("i = 3", ERR_ARGUMENT, "\"==\" compares");
  refuses("i +", ERR_ARGUMENT, "ends too early");
  refuses("i 3", ERR_ARGUMENT, "left over");
  refuses("p.q", ERR_NOT_FOUND, "no member q");
  refuses("counts[3]", ERR_OUT_OF_BOUNDS, "index 3 of an array of 3");
  refuses("x[64]", ERR_OUT_OF_BOUNDS, "no memory at 0x");
  refuses("i / 0", ERR_ARGUMENT, "division by zero");
  refuses("&i", ERR_ARGUMENT, "no address");
  end();
}

static uint32_t next_random(uint32_t *seed) {
  *seed = *seed * 1664525 + 1013904223;
  return *seed >> 8;
}

static void test_hostile_expressions(void **state) {
  (void)state;
  static const char *const words[] = {
      "i",         "(int)", "(float *)", "p",    "x", "tile",
      "counts",    "v",     ".x",        "->y",  "[", "]",
      "(",         ")",     "+",         "-",    "*", "/",
      "%",         "&",     "&&",        "||",   "?", ":",
      "<",         "<<",    "==",        "=",    "!", "~",
      "0",         "1",     "'a'",       "1.5",  "'", "0x",
      "1e999",     "::",    ".",         "from", "*", "99999999999999999999",
      "threadIdx", "table", "given",     "w",    "-1"};
  uint32_t seed = 1;
  int understood = 0;
  char command[600];
  variables_begin();
  go_to("if (odd)");
  for (int n = 0; n < 4000; n++) {
    strcpy(command, n % 50 ? "print " : "shared ");
    for (uint32_t k = next_random(&seed) % 9 + 1; k; k--)
      strcat(command,
             words[next_random(&seed) % (sizeof words / sizeof *words)]);
    understood += ask(command) == ERR_OK;
  }
  assert_true(understood > 100);
  memset(command, '(', sizeof command - 1);
  memcpy(command, "print ", 6);
  command[sizeof command - 1] = 0;
  assert_int_equal(ask(command), ERR_ARGUMENT);
  memset(command + 6, '-', sizeof command - 7);
  assert_int_equal(ask(command), ERR_ARGUMENT);
  end();
}

static void test_conditions(void **state) {
  (void)state;
  int line = line_of("sum += t;");
  char command[120];
  variables_begin();
  snprintf(command, sizeof command, "break %d if i == 41 && k > 1 && sum > 0",
           line);
  say(command);
  lands("run", GPU_DEBUG_BREAKPOINT, line, 1, 9);
  prints("k", "2");
  lands("continue", GPU_DEBUG_BREAKPOINT, line, 1, 9);
  prints("k", "3");
  lands("back-continue", GPU_DEBUG_BREAKPOINT, line, 1, 9);
  prints("k", "2");
  assert_int_equal(ask("condition 1 no_such == 1"), ERR_NOT_FOUND);
  assert_non_null(strstr(info.text, "there is no variable no_such here"));
  say("delete");
  say("continue");
  assert_int_equal(at.reason, GPU_DEBUG_ENDED);
  end();
}

static void test_shared_and_watch(void **state) {
  (void)state;
  variables_begin();
  go_to("more[threadIdx.x] = i");
  say("shared");
  has("tile: unsigned int[32], 128 bytes at 0\n");
  has("more: int[32], 128 bytes at 128\n");
  say("declare tile float[4][8]");
  say("shared tile");
  has("tile = {{0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5}, {4,");
  say("shared tile 7:9");
  assert_string_equal(text, "tile[7..9] = {3.5, 4, 4.5}\n");
  prints("tile[3][7]", "15.5");
  say("watch more[7]");
  assert_string_equal(text, "watch 2: more[7] = uninitialised\n");
  lands("continue", GPU_DEBUG_WATCH, line_of("__syncthreads();\n  float sum"),
        0, 7);
  assert_string_equal(text, "more[7] was uninitialised, is 7\n");
  assert_int_equal(ask("watch sum"), ERR_UNINITIALISED);
  assert_int_equal(ask("watch i"), ERR_ARGUMENT);
  end();
}

static void test_callers_variables(void **state) {
  (void)state;
  variables_begin();
  go_to("return b + p->y");
  say("thread 6");
  prints("b", "3");
  prints("p->w[0]", "1.5");
  lands("up", GPU_DEBUG_STEPPED, line_of("int half = half_of"), 0, 6);
  prints("i", "6");
  refuses("b", ERR_NOT_FOUND, "no variable b here");
  say("down");
  prints("a", "6");
  end();
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

// The block that made the mistake comes into focus, in every direction of the grid.
static void test_finding_of_a_deep_grid(void **state) {
  (void)state;
  static const char deep[] =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry deep(.param .u64 x) {\n"
      ".reg .b64 %a;\n.reg .b32 %z;\n.reg .pred %p;\n"
      "ld.param.u64 %a, [x];\nmov.u32 %z, %ctaid.z;\n"
      "setp.eq.u32 %p, %z, 1;\n@%p st.global.u32 [%a+400], %z;\nret;\n}\n";
  static const float zeros[40];
  gpu_ptr x = upload(zeros, sizeof zeros);
  gpu_handle was = module;
  ok(back->module_load(device, deep, sizeof deep - 1, &module, &info));
  begin_grid("deep", (const uint32_t[3]){3, 2, 2}, 64, 0, &x, sizeof x);
  say("continue");
  assert_int_equal(at.reason, GPU_DEBUG_FINDING);
  assert_int_equal(at.block[0], 0);
  assert_int_equal(at.block[1], 0);
  assert_int_equal(at.block[2], 1);
  assert_int_equal(at.thread[0], 0);
  end();
  ok(back->module_unload(device, module, &info));
  module = was;
}

static void expect_error(const char *command, enum err wanted,
                         const char *part) {
  assert_int_equal(ask(command), wanted);
  if (!strstr(info.text, part))
    fail_msg("%s: %s", command, info.text);
}

// A command ends when it has run as many steps as a launch may, however often
// it is to be repeated.
static void test_endless(void **state) {
  (void)state;
  static const char endless[] =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry endless()\n{\n  .reg .b32 %r<2>;\n"
      "  mov.u32 %r0, 0;\nL: add.u32 %r0, %r0, 1;\n  bra L;\n}\n";
  gpu_handle plain;
  struct gpu_launch l = {
      .grid = {1, 1, 1}, .block = {32, 1, 1}, .grid_budget = 5000};
  ok(back->module_load(device, endless, sizeof endless - 1, &plain, &info));
  ok(back->function_get(device, plain, "endless", &l.function, NULL, &info));
  ok(back->debug_begin(device, &l, 0, &info));
  ok(answer());
  lands("start", GPU_DEBUG_BEGUN, 0, 0, 0); // there are no lines
  say("stepi 4294967295");
  assert_int_equal(at.reason, GPU_DEBUG_INTERRUPTED);
  assert_int_equal(at.steps, 5000);
  say("next");
  assert_int_equal(at.reason, GPU_DEBUG_INTERRUPTED);
  assert_int_equal(at.steps, 10000);
  say("back 4294967295");
  assert_int_equal(at.reason, GPU_DEBUG_NO_EARLIER);
  assert_int_equal(at.steps, 0);
  end();
  ok(back->module_unload(device, plain, &info));
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
      cmocka_unit_test(test_until_another_thread),
      cmocka_unit_test(test_break_for_one_thread),
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_barrier),
      cmocka_unit_test(test_warps),
      cmocka_unit_test(test_a_single_lane),
      cmocka_unit_test(test_parted_lanes),
      cmocka_unit_test(test_back),
      cmocka_unit_test(test_run_again),
      cmocka_unit_test(test_variables),
      cmocka_unit_test(test_expressions),
      cmocka_unit_test(test_hostile_expressions),
      cmocka_unit_test(test_conditions),
      cmocka_unit_test(test_shared_and_watch),
      cmocka_unit_test(test_callers_variables),
      cmocka_unit_test(test_finding),
      cmocka_unit_test(test_finding_of_a_deep_grid),
      cmocka_unit_test(test_endless),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
