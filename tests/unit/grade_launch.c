// SPDX-License-Identifier: Apache-2.0
// Exercises of several launches (grade/case/case.h): the function that
// launches, what it is told of mistakes, and who is blamed for them.
#include "grade/case/case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "grade/exercise/exercise_rules.h"
#include "grade/judge/judge.h"
#include "tests/unit/scratch.h"

// The largest so far, found in rounds: each hands on to its right neighbour.
static const char good[] =
    "return {title = 't', minutes = 5,\n"
    "signature = {{'in', 'const int *', 'x'}, {'out', 'int *', 'y'},\n"
    " {'scratch', 'int *', 'a'}, {'scratch', 'int *', 'b'},\n"
    " {'scratch', 'int *', 'flag'}, {'value', 'int', 'n'}},\n"
    "kernels = {{name = 'move', signature = {{'in', 'const int *', 'from'},\n"
    "  {'out', 'int *', 'to'}, {'value', 'int', 'n'}}},\n"
    " {name = 'step', signature = {{'in', 'const int *', 'from'},\n"
    "  {'out', 'int *', 'to'}, {'inout', 'int *', 'again'},\n"
    "  {'value', 'int', 'n'}}}},\n"
    "most_launches = 40,\n"
    "launches = function(args, kernels, case)\n"
    "  local from, to, n = args.a, args.b, args.n\n"
    "  local blocks = blocks_for(n, 32)\n"
    "  kernels.move[{blocks, 32}](args.x, from, n)\n"
    "  repeat\n"
    "    args.flag:fill(0)\n"
    "    kernels.step{grid = blocks, block = 32}(from, to, args.flag, n)\n"
    "    assert(args.flag[0] < 2, 'a flag is 0 or 1')\n"
    "    from, to = to, from\n"
    "  until args.flag[0] == 0\n"
    "  kernels.move[{blocks, 32}](from, args.y, n)\n"
    "end,\n"
    "reference = function(args)\n"
    "  local most = args.x[0]\n"
    "  for i = 0, args.n - 1 do\n"
    "    most = math.max(most, args.x[i])\n"
    "    args.y[i] = most\n"
    "  end end,\n"
    "tolerance = {ulp = 0, reason = 'r'},\n"
    "make = function(case, rng) return {x = rng:ints(case.n, 1, 99),\n"
    " y = case.n, a = case.n, b = case.n, flag = 1, n = case.n} end,\n"
    "cases = {{name = 'ten', n = 10}, {name = 'small', n = 3, hidden = "
    "true}},\n"
    "hints = {'h', 'i'},\n"
    "mutants = {\n"
    " {name = 'copies', replace = {'max(a, b)', 'a'}, explain = 'only "
    "moved'},\n"
    " {name = 'm2', replace = {'i && b > a', 'i'}, explain = 'e'},\n"
    " {name = 'm3', replace = {'to[i] = from', 'to[0] = from'},\n"
    "  explain = 'e'},\n"
    " {name = 'm4', replace = {'again[0] = 1', 'again[0] = 0'},\n"
    "  explain = 'it ends too early'}}}\n";

#define MOVE                                                                   \
  "__global__ void move(const int *from, int *to, int n) {\n"                  \
  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                         \
  "  if (i < n) to[i] = from[i];\n"                                            \
  "}\n"
#define STEP(body)                                                             \
  "__global__ void step(const int *from, int *to, int *again, int n) {\n"      \
  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                         \
  "  if (i >= n) return;\n"                                                    \
  "  int a = from[i], b = i ? from[i - 1] : a;\n" body "}\n"
#define RIGHT                                                                  \
  "  to[i] = max(a, b);\n"                                                     \
  "  if (i && b > a) again[0] = 1;\n"

static const char right[] =
    "// BEGIN SOLUTION\n" MOVE STEP(RIGHT) "// END SOLUTION\n";

static void write_part(const char *name, const char *text) {
  struct err_info e;
  char *path = xasprintf("%s/%s", folder, name);
  assert_int_equal(file_replace(path, text, strlen(text), &e), ERR_OK);
  free(path);
}

// `good` with `from` replaced by `to` (from NULL: as it is).
static enum err load(const char *from, const char *to, struct exercise **out,
                     struct err_info *e) {
  const char *hit = from ? strstr(good, from) : good;
  assert_non_null(hit);
  char *text = xasprintf("%.*s%s%s", (int)(hit - good), good, from ? to : "",
                         hit + (from ? strlen(from) : 0));
  write_part("exercise.lua", text);
  write_part("solution.cu", right);
  free(text);
  return exercise_load(folder, out, e);
}

static struct exercise *load_good(const char *from, const char *to) {
  struct exercise *ex;
  struct err_info e = {0};
  if (load(from, to, &ex, &e))
    fail_msg("%s", e.text);
  return ex;
}

static void expect_broken(const char *from, const char *to,
                          const char *wanted) {
  struct exercise *ex;
  struct err_info e = {0};
  if (load(from, to, &ex, &e) != ERR_ARGUMENT || !strstr(e.text, wanted))
    fail_msg("with \"%s\": \"%s\", wanted \"%s\"", to, e.text, wanted);
}

static void broken_ones_say_why(void **state) {
  (void)state;
  expect_broken("\nlaunches =", "\nlunches =", "did you mean launches?");
  expect_broken("launches = function(args, kernels, case)",
                "launches = 5, other = function(args, kernels, case)",
                "is no field of an exercise");
  expect_broken("tolerance = {", "launches = 5, tolerance = {",
                "launches must be a function(args, kernels, case)");
  expect_broken("most_launches = 40", "kernel = 'step'",
                "kernel is for one launch");
  expect_broken("most_launches = 40", "most_launches = 40000",
                "exercise.lua:10: most_launches is at most 10000");
  expect_broken("name = 'step'", "name = 'move'", "two kernels are named");
  expect_broken("name = 'step', s", "name = 'step', grid = 3, s",
                "\"grid\" is no field of a kernel");
  expect_broken("'inout', 'int *', 'again'", "'scratch', 'int *', 'again'",
                "kernels: again of step is scratch");
  expect_broken("{'scratch', 'int *', 'flag'}", "{'scrap', 'int *', 'flag'}",
                "scratch for memory that nobody judges");
  expect_broken("hints =", "requires = {{'shared', kernel = 'stop'}}, hints =",
                "requires: there is no kernel \"stop\"");
  expect_broken("hints =", "requires = {{'shared', kernel = 'step'}}, hints =",
                "no mutant breaks \"step: shared\"");
}

// A field of an exercise with one launch that is for several.
static void one_launch_has_none_of_it(void **state) {
  (void)state;
  static const char one[] =
      "return {title = 't', minutes = 5, kernel = 'k', hints = {'h', 'i'},\n"
      "signature = {{'out', 'int *', 'y'}},\n"
      "reference = function(args) end, %s\n"
      "tolerance = {ulp = 0, reason = 'r'}, make = function() end,\n"
      "cases = {{name = 'a'}}, mutants = {}}\n";
  static const struct {
    const char *field, *wanted;
  } rows[] = {
      {"kernels = {},", "kernels are for several launches"},
      {"most_launches = 3,", "most_launches is for launches = function"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct exercise *ex;
    struct err_info e = {0};
    char *text = xasprintf(one, rows[i].field);
    write_part("exercise.lua", text);
    assert_int_equal(exercise_load(folder, &ex, &e), ERR_ARGUMENT);
    if (!strstr(e.text, rows[i].wanted))
      fail_msg("%s", e.text);
    free(text);
  }
}

static void the_starter_shows_the_launches(void **state) {
  (void)state;
  struct exercise *ex = load_good(NULL, NULL);
  assert_non_null(strstr(
      ex->starter, "// What the host does, in Lua:\n//\n"
                   "//   launches = function(args, kernels, case)\n"
                   "//     local from, to, n = args.a, args.b, args.n\n"));
  assert_non_null(strstr(ex->starter, "//   end,\n//\n"));
  assert_null(strstr(ex->starter, "reference"));
  assert_string_equal(ex->signature,
                      "__global__ void move(const int *from, int *to, int n)\n"
                      "__global__ void step(const int *from, int *to, "
                      "int *again, int n)");
  exercise_free(ex);
}

// ---- Judged ----

static struct verdict *judge_with(struct exercise *ex, const char *text,
                                  const struct judge_options *q) {
  struct judge *j;
  struct source s;
  struct err_info e;
  char *refused;
  assert_int_equal(judge_open(q, &j, &e), ERR_OK);
  source_from_text("own.cu", text, strlen(text), &s, &refused);
  struct verdict *v = judge_run(j, ex, &s, refused);
  free(refused);
  source_free(&s);
  judge_close(j);
  for (int i = 0; i < v->diagnostic_count; i++)
    if (!strcmp(v->diagnostics[i].kind, "not-found"))
      skip(); // no NVRTC here
  return v;
}

// The verdict of `text`, whose first diagnostic has that code and says that.
static void expect(struct exercise *ex, const char *text,
                   const struct judge_options *q, enum verdict_kind wanted,
                   const char *code, const char *words) {
  struct verdict *v = judge_with(ex, text, q);
  const struct verdict_diagnostic *d = v->diagnostics;
  bool is_so = v->verdict == wanted &&
               (!code || (v->diagnostic_count && !strcmp(d->code, code) &&
                          strstr(d->message, words)));
  if (!is_so)
    fail_msg("wanted %s and \"%s\", got %s: %s: %s", verdict_text(wanted),
             words ? words : "", verdict_text(v->verdict),
             v->diagnostic_count ? d->code : "",
             v->diagnostic_count ? d->message : "");
  verdict_free(v);
}

static const struct judge_options plain, guarded = {.force_guards = true};

static void right_ones_pass(void **state) {
  (void)state;
  struct exercise *ex = load_good(NULL, NULL);
  struct judge_options two = {.gpu = "virtual:1", .also_debug = true};
  expect(ex, right, &two, VERDICT_PASS, NULL, NULL);
  expect(ex, right, &guarded, VERDICT_PASS, NULL, NULL);
  exercise_free(ex);
}

static void mistakes_are_seen(void **state) {
  (void)state;
  struct exercise *ex = load_good(NULL, NULL);
  // The kernel's own name of the array, and which launch it was.
  expect(ex, MOVE STEP("  to[i + 1] = max(a, b);\n"), &plain, VERDICT_FAIL,
         "oob-write", "to[10], 4 bytes past the end of to (int[10])");
  expect(ex, MOVE STEP("  to[i + 1] = max(a, b);\n"), &plain, VERDICT_FAIL,
         "oob-write", "; launch 2, step[{1, 32}]");
  expect(ex, MOVE STEP(RIGHT "  if (i == 0) to[n] = 5;\n"), &guarded,
         VERDICT_FAIL, "oob-write", "wrote 1 element past the end of ");
  // A scratch array holds nothing before somebody has written it.
  expect(ex,
         "__global__ void move(const int *from, int *to, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i + 1 < n) to[i] = from[i];\n}\n" STEP(RIGHT),
         &plain, VERDICT_FAIL, "uninitialised", "from[9]");
  expect(ex, MOVE "__global__ void stop() {}\n", &plain, VERDICT_COMPILE_ERROR,
         "signature", "no kernel named step (the file has move, stop)");
  expect(ex, MOVE "__global__ void step(int *to, int *again, int n) {}\n",
         &plain, VERDICT_COMPILE_ERROR, "signature",
         "step has 3 parameters and must have 4");
  exercise_free(ex);
}

// move is launched twice.
static void a_mistake_of_many_launches_is_one(void **state) {
  (void)state;
  struct exercise *ex = load_good(NULL, NULL);
  struct verdict *v =
      judge_with(ex,
                 "__global__ void move(const int *from, int *to, int n) {\n"
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "  if (i < 2) __nanosleep(2000000);\n"
                 "  if (i < n) to[i] = from[i];\n}\n" STEP(RIGHT),
                 &plain);
  int told = 0;
  for (int i = 0; i < v->diagnostic_count; i++) {
    const struct verdict_diagnostic *d = &v->diagnostics[i];
    if (strcmp(d->code, "sleep") != 0)
      continue;
    told++;
    assert_non_null(strstr(d->message, "and 3 more threads; launch 1, move"));
  }
  assert_int_equal(told, 1);
  verdict_free(v);
  exercise_free(ex);
}

// A wrong result is explained by the mutant that gives the same.
static void wrong_ones_are_explained(void **state) {
  (void)state;
  struct exercise *ex = load_good(NULL, NULL);
  struct verdict *v =
      judge_with(ex, MOVE STEP("  to[i] = a;\n  again[0] = 0;\n"), &plain);
  assert_int_equal(v->verdict, VERDICT_FAIL);
  assert_string_equal(v->diagnostics[0].code, "wrong-result");
  verdict_free(v);
  v = judge_with(ex,
                 MOVE STEP("  to[i] = max(b, a);\n"
                           "  if (i && b > a) again[0] = 0;\n"),
                 &plain);
  assert_string_equal(v->diagnostics[0].code, "mutant-m4");
  assert_string_equal(v->diagnostics[0].explain, "it ends too early");
  verdict_free(v);
  exercise_free(ex);
}

// ---- Ends ----

static void the_kernels_may_be_to_blame(void **state) {
  (void)state;
  struct exercise *ex = load_good(NULL, NULL);
  expect(ex, MOVE STEP(RIGHT "  again[0] = 1;\n"), &plain, VERDICT_TIMEOUT,
         "launches", "launched 40 times, and there was no end");
  expect(ex, MOVE STEP("  to[i] = max(a, b);\n  again[0] = 2;\n"), &plain,
         VERDICT_FAIL, "launches", "could not go on");
  expect(ex, MOVE STEP("  to[i] = max(a, b);\n  again[0] = 2;\n"), &plain,
         VERDICT_FAIL, "launches", "a flag is 0 or 1");
  // A hidden case shows neither its sizes nor what the function says.
  expect(ex, MOVE STEP(RIGHT "  if (n == 3) again[0] = 2;\n"), &plain,
         VERDICT_FAIL, "launches", "in a hidden case the launches do not come");
  exercise_free(ex);
}

// Whatever the exercise's own solution does not survive is the exercise's.
static void the_exercise_may_be_to_blame(void **state) {
  (void)state;
  static const struct {
    const char *from, *to, *wanted;
  } rows[] = {
      {"(args.x, from, n)", "(args.x, n)",
       "move takes 3 arguments and is given 2: __global__ void move("},
      {"(args.x, from, n)", "(args.x, args.x, n)",
       "x is an input, and move may write its to"},
      {"(args.x, from, n)", "(args.x, from, n / 3)",
       "n of move is \"int\", which does not hold 3.33"},
      {"(args.x, from, n)", "(args.x, from, 1 << 31)", "which does not hold"},
      {"(args.x, from, n)", "(args.x, 7, n)",
       "to of move is an array of args, not number"},
      {"kernels.move[{blocks, 32}](a", "kernels.mvoe[{blocks, 32}](a",
       "no kernel \"mvoe\"; there are: move, step"},
      {"kernels.move[{blocks, 32}](a", "kernels.move(32)(a",
       "move is launched as move[{blocks, threads}](...)"},
      {"block = 32", "blck = 32", "did you mean block?"},
      {"grid = blocks,", "grid = 0,", "the grid of step is 0"},
      {"args.flag:fill(0)", "args.x:fill(0)", "x is an input and is not"},
      {"args.flag:fill(0)", "args.flag[1] = 0",
       "index 1 is outside of flag, which has 1 elements"},
      {"args.flag:fill(0)", "while true do args.flag[0] = 0 end",
       "reads a flag or a number, not whole arrays"},
      {"args.flag:fill(0)", "while true do end", "Lua instructions"},
      {"until args.flag[0] == 0", "until false", "there was no end"},
      {"make = function(case, rng) return {",
       "make = function(case, rng) return 1 and {", NULL},
      {"flag = 1, n = case.n} end", "flag = 1, n = case.n}, {1, 32} end",
       "for the function launches to say"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct exercise *ex = load_good(rows[i].from, rows[i].to);
    expect(ex, right, &plain, rows[i].wanted ? VERDICT_ERROR : VERDICT_PASS,
           rows[i].wanted ? "judge-error" : NULL, rows[i].wanted);
    exercise_free(ex);
  }
}

static int read_kept(lua_State *L) {
  lua_getglobal(L, "kept");
  lua_geti(L, -1, 0);
  return 0;
}

// What a function keeps of a case is of no use outside of it.
static void objects_end_with_the_function(void **state) {
  (void)state;
  struct exercise *ex = load_good("repeat\n", "kept = from\n repeat\n");
  expect(ex, right, &plain, VERDICT_PASS, NULL, NULL);
  lua_pushcfunction(ex->L, read_kept);
  assert_int_equal(lua_pcall(ex->L, 0, 0, 0), LUA_ERRRUN);
  assert_non_null(strstr(lua_tostring(ex->L, -1), "within its function"));
  exercise_free(ex);
}

// An error of the device is not to be caught.
static void an_error_goes_through_pcall(void **state) {
  (void)state;
  struct exercise *ex =
      load_good("kernels.step{grid = blocks, block = 32}(from",
                "pcall(kernels.step{grid = blocks, block = 32}, from");
  expect(ex, right, &plain, VERDICT_PASS, NULL, NULL);
  expect(ex, MOVE STEP("  to[i + 1] = max(a, b);\n"), &plain, VERDICT_FAIL,
         "oob-write", "launch 2, step");
  exercise_free(ex);
}

// ---- Counted ----

// All launches of a case are charged together.
static void launches_are_charged_together(void **state) {
  (void)state;
  struct exercise *ex = load_good("most_launches = 40", "most_launches = 9999");
  expect(ex,
         MOVE STEP(RIGHT "  again[0] = 1;\n"), // for ever, each for little
         &(struct judge_options){.cost = 100000}, VERDICT_TIMEOUT, "cost",
         "all launches together were charged more than");
  exercise_free(ex);
}

static void goals_are_over_all_launches(void **state) {
  (void)state;
  struct exercise *ex = load_good(NULL, NULL);
  struct err_info e;
  ex->rules = xcalloc(2, sizeof *ex->rules);
  ex->rule_count = 2;
  assert_true(
      efficiency_parse("launches <= 39", EXERCISE_CUDA, &ex->rules[0], &e));
  assert_true(efficiency_parse("threads_per_block >= 32", EXERCISE_CUDA,
                               &ex->rules[1], &e));
  ex->rules[0].is_goal = true;
  struct verdict *v = judge_with(ex, right, &plain);
  assert_int_equal(v->verdict, VERDICT_PASS);
  assert_int_equal(v->rule_count, 2);
  // Ten elements, in descending order at worst: two moves and up to ten steps.
  assert_true(v->rules[0].value >= 3 && v->rules[0].value <= 12);
  assert_int_equal(v->rules[1].verdict, VERDICT_PASS);
  verdict_free(v);
  ex->rules[0].limit = 2;
  v = judge_with(ex, right, &plain);
  assert_int_equal(v->verdict, VERDICT_FAIL);
  assert_string_equal(v->diagnostics[0].code, "goal");
  verdict_free(v);
  exercise_free(ex);
}

// Asked of one kernel it does not matter what the other does.
static void requirements_are_of_a_kernel(void **state) {
  (void)state;
  static const char alone[] = MOVE STEP(
      "  to[i] = max(a, b);\n  if (i && b > a) atomicExch(again, 1);\n");
  struct exercise *ex = load_good(NULL, NULL);
  struct err_info e;
  free(ex->solution);
  ex->solution = xstrdup(alone);
  ex->requires = xcalloc(2, sizeof *ex->requires);
  ex->require_count = 1;
  assert_true(requires_parse("no_atomics", &ex->requires[0], &e));
  expect(ex, right, &plain, VERDICT_PASS, NULL, NULL);
  expect(ex, alone, &plain, VERDICT_FAIL, "requirement",
         "launch 2 of step, block (0,0,0)");
  ex->requires[0].kernel = 0; // move
  expect(ex, alone, &plain, VERDICT_PASS, NULL, NULL);
  exercise_free(ex);
}

// ---- Constants and textures ----

static struct exercise *load_named(const char *name) {
  struct exercise *ex;
  struct err_info e = {0};
  if (exercise_load(name, &ex, &e))
    fail_msg("%s", e.text);
  return ex;
}

static void constants_are_filled(void **state) {
  (void)state;
  struct exercise *ex = load_named("exercises/filter-constant");
  assert_string_equal(ex->signature,
                      "__constant__ float weights[9]\n"
                      "__global__ void filter(const float *in, float *out, int "
                      "width, int height)");
  struct judge_options two = {.gpu = "virtual:1", .also_debug = true};
  expect(ex, ex->solution, &two, VERDICT_PASS, NULL, NULL);
#define FILTER                                                                 \
  "__global__ void filter(const float *in, float *out, int w, int h) {\n"      \
  "  out[0] = weights[0];\n}\n"
  expect(ex, "__constant__ float weights[8];\n" FILTER, &plain,
         VERDICT_COMPILE_ERROR, "signature",
         "weights has 32 bytes, and must be __constant__ float weights[9]");
  expect(ex, "#define weights in\n" FILTER, &plain, VERDICT_COMPILE_ERROR,
         "signature",
         "there is no __constant__ float weights[9], which the host");
  exercise_free(ex);
}

static void textures_are_made(void **state) {
  (void)state;
  struct exercise *ex = load_named("exercises/zoom-texture");
  assert_string_equal(ex->signature,
                      "__global__ void zoom(cudaTextureObject_t picture, float "
                      "*out, int width, int height)");
  struct judge_options two = {.gpu = "virtual:1", .also_debug = true};
  expect(ex, ex->solution, &two, VERDICT_PASS, NULL, NULL);
  expect(ex,
         "__global__ void zoom(const float *picture, float *out, int w, int h)"
         "{ out[0] = picture[0]; }\n",
         &plain, VERDICT_COMPILE_ERROR, "signature",
         "parameter 1 (picture) is \"const float *\" and must be "
         "\"cudaTextureObject_t\"");
  // The exercise says how the texture is read.
  ex->kernels[0].params[0].filter = ex->params[0].filter = GPU_FILTER_POINT;
  expect(ex, ex->solution, &plain, VERDICT_FAIL, NULL, NULL);
  exercise_free(ex);
}

static void rows_of_constants_and_textures(void **state) {
  (void)state;
  static const char row[] = "{'scratch', 'int *', 'b'}";
  expect_broken(
      row, "{'constant', 'int *', 'b'}",
      "the constant b is \"int *\"; that of a __constant__ array has");
  expect_broken(row, "{'constant', 'int[0]', 'b'}", "the constant b is");
  expect_broken(row, "{'texture', 'int', 'b'}", "its elements are \"float\"");
  expect_broken(row, "{'texture', 'float', 'b', filter = 'cubic'}",
                "filter is one of \"point\", \"linear\", not \"cubic\"");
  expect_broken(row, "{'texture', 'float', 'b', adress = 'wrap'}",
                "did you mean address?");
  expect_broken("{'inout', 'int *', 'again'}",
                "{'constant', 'int[3]', 'again'}",
                "kernels: again of step is constant");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broken_ones_say_why),
      cmocka_unit_test(one_launch_has_none_of_it),
      cmocka_unit_test(the_starter_shows_the_launches),
      cmocka_unit_test(right_ones_pass),
      cmocka_unit_test(mistakes_are_seen),
      cmocka_unit_test(a_mistake_of_many_launches_is_one),
      cmocka_unit_test(wrong_ones_are_explained),
      cmocka_unit_test(the_kernels_may_be_to_blame),
      cmocka_unit_test(the_exercise_may_be_to_blame),
      cmocka_unit_test(objects_end_with_the_function),
      cmocka_unit_test(an_error_goes_through_pcall),
      cmocka_unit_test(launches_are_charged_together),
      cmocka_unit_test(goals_are_over_all_launches),
      cmocka_unit_test(requirements_are_of_a_kernel),
      cmocka_unit_test(constants_are_filled),
      cmocka_unit_test(textures_are_made),
      cmocka_unit_test(rows_of_constants_and_textures),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
