// SPDX-License-Identifier: Apache-2.0
// grade/exercise/exercise.h: the shipped exercises load, broken ones say why, cases
// come from seeds, references are right.
#include "grade/case/case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <lauxlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "tests/unit/scratch.h"

static struct exercise *load(const char *name) {
  struct exercise *ex;
  struct err_info e;
  if (exercise_load(name, &ex, &e))
    fail_msg("%s", e.text);
  return ex;
}

static void shipped_ones_load(void **state) {
  (void)state;
  char **names;
  int count;
  struct err_info e;
  assert_int_equal(exercise_names(&names, &count, &e), ERR_OK);
  assert_true(count >= 3);
  for (int i = 0; i < count; i++) {
    struct exercise *ex = load(names[i]);
    assert_string_equal(ex->name, names[i]);
    assert_true(ex->mutant_count >= 4);
    // None at all on purpose, or from a nudge to nearly the answer.
    assert_true(ex->hint_count == 0 ||
                (ex->hint_count >= 2 && ex->hint_count <= 5));
    assert_null(strstr(ex->starter, "SOLUTION"));
    assert_null(strstr(ex->solution, "STARTER"));
    assert_string_not_equal(ex->starter, ex->solution);
    exercise_free(ex);
  }
  exercise_names_free(names, count);
}

static void signatures(void **state) {
  (void)state;
  struct exercise *ex = load("vector-add");
  assert_string_equal(ex->signature,
                      "__global__ void add(const float *x, const float *y, "
                      "float *out, int n)");
  assert_int_equal(ex->params[2].direction, PARAM_OUT);
  assert_int_equal(ex->params[3].dtype, DTYPE_I32);
  exercise_free(ex);
  ex = load("saxpy");
  assert_string_equal(ex->signature,
                      "__global__ void saxpy(float a, const float *x, float "
                      "*y, int n)");
  exercise_free(ex);
  ex = load("block-sum");
  assert_string_equal(ex->signature, "__global__ void block_sum(const float "
                                     "*x, float *out, int n)");
  exercise_free(ex);
}

static int find_case(const struct exercise *ex, const char *name) {
  for (int i = 0; i < ex->case_count; i++)
    if (!strcmp(ex->cases[i].name, name))
      return i;
  fail_msg("no case %s", name);
  return -1;
}

static void cases_come_from_seeds(void **state) {
  (void)state;
  struct exercise *ex = load("vector-add");
  struct seed seed = {{1}}, other = {{2}};
  struct case_input a, b, c;
  struct err_info e;
  int i = find_case(ex, "n=4097");
  assert_int_equal(exercise_make_case(ex, i, &seed, &a, &e), ERR_OK);
  assert_int_equal(exercise_make_case(ex, i, &seed, &b, &e), ERR_OK);
  assert_int_equal(exercise_make_case(ex, i, &other, &c, &e), ERR_OK);
  assert_int_equal(a.args[0].count, 4097);
  assert_int_equal(a.args[3].integer, 4097);
  assert_int_equal(a.grid[0], 33);
  assert_int_equal(a.block[0], 128);
  assert_int_equal(a.block[1], 1);
  assert_memory_equal(a.args[0].data, b.args[0].data, 4097 * 4);
  assert_memory_not_equal(a.args[0].data, c.args[0].data, 4097 * 4);
  assert_memory_not_equal(a.args[0].data, a.args[1].data, 4097 * 4);
  double us;
  assert_int_equal(exercise_solve(ex, &a, &us, &e), ERR_OK);
  assert_true(us >= 0);
  const float *x = a.args[0].data, *y = a.args[1].data, *out = a.args[2].data;
  for (int k = 0; k < 4097; k++)
    assert_true(out[k] == x[k] + y[k] && fabsf(x[k]) <= 8);
  case_input_free(&a);
  case_input_free(&b);
  case_input_free(&c);
  exercise_free(ex);
}

// The tolerances' reasons hold: sums in another order, products rounded
// before the sum, give the same bits where the exercise says so.
static void exact_inputs_are_exact(void **state) {
  (void)state;
  struct exercise *sum = load("block-sum"), *saxpy = load("saxpy");
  struct seed seed = {{3}};
  struct case_input in;
  struct err_info e;
  double us;
  int i = find_case(sum, "n=1009, a prime");
  assert_int_equal(exercise_make_case(sum, i, &seed, &in, &e), ERR_OK);
  assert_int_equal(exercise_solve(sum, &in, &us, &e), ERR_OK);
  const float *x = in.args[0].data, *out = in.args[1].data;
  for (int b = 0; b < 4; b++) {
    float backwards = 0;
    for (int k = (b == 3 ? 1009 : 256 * (b + 1)) - 1; k >= 256 * b; k--)
      backwards += x[k];
    assert_true(backwards == out[b]);
  }
  case_input_free(&in);
  i = find_case(saxpy, "n=4099, 3 blocks of 77");
  struct case_input before;
  assert_int_equal(exercise_make_case(saxpy, i, &seed, &in, &e), ERR_OK);
  case_input_copy(saxpy, &in, &before);
  assert_int_equal(exercise_solve(saxpy, &in, &us, &e), ERR_OK);
  for (int k = 0; k < 4099; k++) {
    volatile float product = 0.25f * ((float *)before.args[1].data)[k];
    assert_true(product + ((float *)before.args[2].data)[k] ==
                ((float *)in.args[2].data)[k]);
  }
  case_input_free(&in);
  case_input_free(&before);
  exercise_free(sum);
  exercise_free(saxpy);
}

// ---- A case's row ----

static void expect_row(const char *value, const char *want) {
  lua_State *L = luaL_newstate();
  char *code = xasprintf("return %s", value);
  struct str row = STR_INIT;
  assert_int_equal(luaL_dostring(L, code), LUA_OK);
  bool is_told = exercise_add_text(&row, L, -1);
  if (want)
    assert_string_equal(row.data, want);
  assert_int_equal(is_told, want != NULL);
  assert_int_equal(lua_gettop(L), 1);
  // What is written is read as the same.
  char *again = xasprintf("return %s", row.data);
  assert_true(!want || luaL_dostring(L, again) == LUA_OK);
  free(again);
  free(code);
  str_free(&row);
  lua_close(L);
}

static void rows_are_written_as_lua(void **state) {
  (void)state;
  expect_row("{n = 3, name = 'a', hidden = true}",
             "{name = \"a\", hidden = true, n = 3}");
  expect_row("{1, 2.5, {x = 1.1}, 1/0, -1e300}",
             "{1, 2.5, {x = 1.1}, 1/0, -1e+300}");
  expect_row("{['end'] = 1, ['a b'] = 2.0, [1] = 'q\"\\\\\\n'}",
             "{\"q\\\"\\\\\\010\", [\"a b\"] = 2.0, [\"end\"] = 1}");
  expect_row("{}", "{}");
  expect_row("{f = function() end}", NULL);
  expect_row("(function() end)", NULL);
  expect_row("{[2.5] = 1}", NULL);
  expect_row("{[7] = 1}", NULL);
  expect_row("(function() local t = {} t.t = t return t end)()", NULL);
}

// ---- Broken exercises ----

static const char good_solution[] = "__global__ void k(float *y) {\n"
                                    "// BEGIN SOLUTION\n"
                                    "a b c d\n"
                                    "// END SOLUTION\n}\n";
static const char good[] =
    "return {title = 't', minutes = 5, kernel = 'k',\n"
    "signature = {{'out', 'float *', 'y'}},\n"
    "reference = function(args, launch)\n"
    "  for i = 0, #args.y - 1 do args.y[i] = i / 2 + launch[1][1] end end,\n"
    "tolerance = {ulp = 0, reason = 'r'},\n"
    "make = function(case, rng) return {y = case.n}, {1, 32} end,\n"
    "cases = {{name = 'a', n = 3}}, hints = {'h', 'i'},\n"
    "mutants = {{name = 'm', replace = {'a', 'x'}, explain = 'e'},\n"
    " {name = 'n', replace = {'b', 'x'}, explain = 'e'},\n"
    " {name = 'o', replace = {'c', 'x'}, explain = 'e'},\n"
    " {name = 'p', replace = {'d', 'x'}, explain = 'e'}}}\n";

static void write_part(const char *name, const char *text) {
  struct err_info e;
  char *path = xasprintf("%s/%s", folder, name);
  assert_int_equal(file_replace(path, text, strlen(text), &e), ERR_OK);
  free(path);
}

// Loads `good` with `from` replaced by `to` and expects `wanted` in the text.
static void expect_broken(const char *from, const char *to,
                          const char *wanted) {
  struct exercise *ex = NULL;
  struct err_info e = {0};
  const char *hit = strstr(good, from);
  assert_non_null(hit);
  char *text =
      xasprintf("%.*s%s%s", (int)(hit - good), good, to, hit + strlen(from));
  write_part("exercise.lua", text);
  write_part("solution.cu", good_solution);
  enum err err = exercise_load(folder, &ex, &e);
  if (err != ERR_ARGUMENT || !strstr(e.text, wanted))
    fail_msg("with \"%s\": %d \"%s\", wanted \"%s\"", to, err, e.text, wanted);
  free(text);
}

static void broken_ones_say_why(void **state) {
  (void)state;
  expect_broken("title = 't', ", "", "title must be a text");
  expect_broken("{'h', 'i'}", "{'h'}", "hints has 1 entries; 2 to 5");
  expect_broken("{'h', 'i'}", "{}", "hints has 0 entries; 2 to 5");
  expect_broken("{'h', 'i'}", "true", "hints must be a list");
  expect_broken("{'h', 'i'}", "{'h', 'i'}, editorial = 'It costs much.'",
                "editorial has 14 letters: two");
  expect_broken("{'h', 'i'}", "{'h', 'i'}, editorial = ('too long '):rep(60)",
                "editorial has 539 letters");
  expect_broken(
      "'float *'", "'flaot *'",
      "exercise.lua:2: signature: the type \"flaot *\" of y is not known");
  expect_broken("'out', ", "'into', ",
                "exercise.lua:2: signature: the direction \"into\" is none of");
  expect_broken("kernel = 'k'", "kernel = 'k k'",
                "exercise.lua:1: kernel: \"k k\" is no name");
  expect_broken("cases = {{", "cases = {5, {", "exercise.lua:7: cases[1] must");
  expect_broken("'float *'", "'float'", "an array has one");
  expect_broken("reason = 'r'", "", "reason must be a text");
  expect_broken("{'a', 'x'}", "{'q', 'x'}", "mutant \"m\"");
  expect_broken(" {name = 'p', replace = {'d', 'x'}, explain = 'e'}", "",
                "mutants has 3 entries");
  expect_broken("name = 'a', n", "name = 'a', hidden = true, n",
                "not hidden must have a weight");
  expect_broken("n = 3}}",
                "n = 3}, {name = 'b', n = 4, release = "
                "'after_due_date'}}",
                "release is for a hidden case");
  expect_broken("n = 3}}",
                "n = 3}, {name = 'b', n = 4, hidden = true, release "
                "= 'tomorrow'}}",
                "or \"after_published\", not \"tomorrow\"");
  expect_broken("return {", "return {efficiency = {'fast'}, ", "efficiency");
  expect_broken("return {", "while true do end return {", "Lua instructions");
  expect_broken("return {",
                "while true do pcall(function() while true do end end) end "
                "return {",
                "Lua instructions");
  expect_broken("return {",
                "local _, e = pcall(string.rep, 'x', 1 << 30) error(e) "
                "return {",
                "not enough memory");
  expect_broken("return {",
                "getmetatable('').__tostring = error error('words') return {",
                "words");
  expect_broken("return {", "error({}) return {", "no text");
  expect_broken("return {", "os.exit(0) return {", "os");
  expect_broken("return {", "syntax error", "exercise.lua:1");
  expect_broken("return {", "return 5, {", "must return a table");
}

static void broken_goals_say_why(void **state) {
  (void)state;
  expect_broken("kernel = 'k'", "kernel = 'k', efficiency = {'a <= x'}",
                "efficiency");
  expect_broken(
      "kernel = 'k'", "kernel = 'k', requires = {'fast'}",
      "exercise.lua:1: requires: \"fast\" is none of: shared, barrier");
  expect_broken("kernel = 'k'", "kernel = 'k', requires = {'shared = 3'}",
                "is none of");
  expect_broken("kernel = 'k'", "kernel = 'k', requires = {'min_threads'}",
                "min_threads = N");
  expect_broken("kernel = 'k'", "kernel = 'k', requires = {'shared'}",
                "no mutant breaks \"shared\"");
  expect_broken("kernel = 'k'", "kernel = 'k', goal = {'occupancy >= 50'}",
                "no mutant breaks \"occupancy >= 50\"");
  expect_broken("name = 'm', ", "name = 'm', breaks = 'shared', ",
                "no goal and no requirement");
  expect_broken("kernel = 'k'",
                "kernel = 'k', goal = {{'occupancy >= 50', points = 2}}",
                "points are for efficiency");
  expect_broken("kernel = 'k'",
                "kernel = 'k', efficiency = {{'occupancy >= 50', cases = "
                "{'none such'}}}",
                "no case \"none such\"");
  for (int i = 0; i < 3; i++) {
    static const char *const none[] = {"occupancy >= 50", "global_bytes <= 9",
                                       "arithmetic_intensity >= 2"};
    char text[128];
    snprintf(text, sizeof text,
             "kernel = 'k', efficiency = {{'%s', each_line = true}}", none[i]);
    expect_broken("kernel = 'k'", text, "a line alone has nothing");
  }
  expect_broken("kernel = 'k'",
                "kernel = 'k', efficiency = {{'active_lanes >= 9', each_line = "
                "3}}",
                "each_line must be true or false");
  expect_broken("kernel = 'k'", "kernel = 'k', efficiency = {'speed >= 1'}",
                "no counter \"speed\"");
  expect_broken("kernel = 'k'", "kernel = 'k', hardware = 9",
                "hardware must be a table");
  expect_broken("kernel = 'k'", "kernel = 'k', hardware = {gpus = true}",
                "did you mean gpu?");
}

static void missing_ones_are_named(void **state) {
  (void)state;
  struct exercise *ex;
  struct err_info e;
  assert_int_equal(exercise_load("no-such", &ex, &e), ERR_NOT_FOUND);
  assert_non_null(
      strstr(e.text, "no exercise \"no-such\": warpshop exercise list"));
  assert_int_equal(exercise_load("./no-such", &ex, &e), ERR_IO);
}

// A field that nobody reads is named, with its line and the one that was meant.
static void unknown_fields(void **state) {
  (void)state;
  expect_broken("hints = {'h', 'i'}", "hints = {'h', 'i'}, hintz = {'h'}",
                "exercise.lua:7: \"hintz\" is no field of an exercise; did "
                "you mean hints?");
  expect_broken("hints = {'h', 'i'}", "hints = {'h', 'i'}, colour = 1",
                "exercise.lua:7: \"colour\" is no field of an exercise; docs/");
  expect_broken("n = 3}", "n = 3, hiden = true}",
                "exercise.lua:7: \"hiden\" is no field of a case, and make "
                "does not read it; did you mean hidden?");
  expect_broken("replace = {'b', 'x'}, explain", "replace = {'b', 'x'}, exlain",
                "exercise.lua:9: \"exlain\" is no field of a mutant; did you "
                "mean explain?");
  expect_broken("{ulp = 0", "{upl = 0",
                "exercise.lua:5: \"upl\" is no field of a tolerance; did you "
                "mean ulp?");
  expect_broken("kernel = 'k'",
                "kernel = 'k',\n efficiency = {{'occupancy >= 50', "
                "point = 2}}",
                "exercise.lua:2: \"point\" is no field of a rule; did you mean "
                "points?");
  expect_broken("title = 't', minutes = 5", "title = 't',\n minutes = 'five'",
                "exercise.lua:2: minutes must be a number");
  expect_broken("n = 3}", "n = 3, hidden = 0}", "hidden must be true or false");
  expect_broken("'float *', 'y'}", "'float *', 'y', 'z'}",
                "a row of signature is");
  expect_broken("{'a', 'x'}", "{'a', 'x', 'b'}", "replace must be {text");
  // The first of the text, and not what stands in a comment or another table.
  expect_broken("title = 't'",
                "--[[ wrnog = 1 ]] title = 't',\n-- tasc = 1\n"
                "['wrnog'] = 1,\n tasc = 'x = {hintz = 1}'",
                "exercise.lua:3: \"wrnog\"");
}

static const char good_lua[] = "function k(x, n)\n"
                               "  -- BEGIN SOLUTION\n"
                               "  return x * n -- a b c d\n"
                               "  -- END SOLUTION\nend\n";

// `good` as an exercise of kind lua, with `fields` and `signature`.
static enum err load_lua(const char *fields, const char *signature,
                         struct exercise **ex, struct err_info *e) {
  const char *rest = strstr(good, "reference");
  char *text = xasprintf("return {kind = 'lua', title = 't', minutes = 5, %s,\n"
                         "signature = {%s},\n%s",
                         fields, signature, rest);
  write_part("exercise.lua", text);
  write_part("solution.lua", good_lua);
  free(text);
  return exercise_load(folder, ex, e);
}

static void expect_broken_lua(const char *fields, const char *signature,
                              const char *wanted) {
  struct exercise *ex = NULL;
  struct err_info e = {0};
  enum err err = load_lua(fields, signature, &ex, &e);
  if (err != ERR_ARGUMENT || !strstr(e.text, wanted))
    fail_msg("with %s, %s: %d \"%s\", wanted \"%s\"", fields, signature, err,
             e.text, wanted);
}

static void kind_lua(void **state) {
  (void)state;
  struct exercise *ex = NULL;
  struct err_info e = {0};
  static const char rows[] =
      "{'in', 'f32[]', 'x'}, {'value', 'i32', 'n'}, {'out', 'f32[]', 'y'}";
  assert_int_equal(load_lua("entry = 'k'", rows, &ex, &e), ERR_OK);
  assert_string_equal(ex->signature,
                      "function k(x: f32[], n: i32) -> y: f32[]");
  assert_int_equal(ex->kind, EXERCISE_LUA);
  assert_non_null(strstr(ex->mutants[0].source, "-- x b c d"));
  exercise_free(ex);
  expect_broken_lua("points = 3", rows, "entry must be a text");
  expect_broken_lua("kernel = 'k'", rows,
                    "exercise.lua:1: \"kernel\" is no field of kind lua; "
                    "docs/");
  expect_broken_lua("entry = 'k', kind = 'hots'", rows, "kind is");
  expect_broken_lua("entry = 'k', kind = 'host'", rows, "kernels must be");
  expect_broken_lua("entry = 'k', kind = 'host', kernels = '../k.cu'", rows,
                    "kernels names a file of the exercise's folder");
  expect_broken_lua("entry = 'k', kernels = 'k.cu'", rows,
                    "\"kernels\" is no field of kind lua");
  expect_broken_lua("entry = 'k', goal = {'occupancy >= 50'}", rows,
                    "there is no counter \"occupancy\"; ?cuda.calls");
  expect_broken_lua("entry = 'k', goal = {'traces <= 1'}", rows,
                    "no mutant breaks \"traces <= 1\"");
  expect_broken_lua("entry = 'k', budget = 1e12", rows, "budget is at most");
  expect_broken_lua("entry = 'k'", "{'inout', 'f32[]', 'y'}", "y is inout");
  expect_broken_lua("entry = 'k'", "{'out', 'float *', 'y'}", "f32[]");
  expect_broken_lua("entry = 'k'", "{'in', 'f32', 'x'}, {'out', 'f32[]', 'y'}",
                    "in is an array");
  expect_broken_lua("entry = 'k', requires = {'shared'}", rows,
                    "\"requires\" is no field of kind lua");
}

static struct exercise *load_text(const char *text) {
  write_part("exercise.lua", text);
  write_part("solution.cu", good_solution);
  return load(folder);
}

static struct exercise *load_good(void) {
  return load_text(good);
}

static void lua_reference(void **state) {
  (void)state;
  struct exercise *ex = load_good();
  struct seed seed = {{0}};
  struct case_input in;
  struct err_info e;
  double us;
  assert_int_equal(exercise_make_case(ex, 0, &seed, &in, &e), ERR_OK);
  assert_int_equal(exercise_solve(ex, &in, &us, &e), ERR_OK);
  const float *y = in.args[0].data;
  assert_true(y[0] == 1 && y[1] == 1.5f && y[2] == 2 && isnan(us));
  case_input_free(&in);
  exercise_free(ex);
}

// Nor is anything that make returns left lying about.
static void unknown_results(void **state) {
  (void)state;
  static const struct {
    const char *to, *wanted;
  } rows[] = {
      {"return {y = case.n, z = 1}, {1, 32} end",
       "make returns z, which the signature does not have"},
      {"return {y = case.n}, {1, 32, shard = 4} end",
       "make: \"shard\" is no field of a launch; did you mean shared?"},
  };
  static const char from[] = "return {y = case.n}, {1, 32} end";
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *hit = strstr(good, from);
    char *text = xasprintf("%.*s%s%s", (int)(hit - good), good, rows[i].to,
                           hit + strlen(from));
    struct exercise *ex = load_text(text);
    struct seed seed = {{0}};
    struct case_input in;
    struct err_info e;
    assert_int_equal(exercise_make_case(ex, 0, &seed, &in, &e), ERR_ARGUMENT);
    if (!strstr(e.text, rows[i].wanted))
      fail_msg("%s", e.text);
    exercise_free(ex);
    free(text);
  }
}

// Solves the first case of `good` with `value` for every element.
static enum err solve_with(const char *value, struct err_info *e) {
  static const char from[] = "i / 2 + launch[1][1]";
  const char *hit = strstr(good, from);
  char *text =
      xasprintf("%.*s%s%s", (int)(hit - good), good, value, hit + strlen(from));
  struct exercise *ex = load_text(text);
  struct seed seed = {{0}};
  struct case_input in;
  double us;
  assert_int_equal(exercise_make_case(ex, 0, &seed, &in, e), ERR_OK);
  enum err err = exercise_solve(ex, &in, &us, e);
  case_input_free(&in);
  exercise_free(ex);
  free(text);
  return err;
}

static void rounded_whole_numbers(void **state) {
  (void)state;
  struct err_info e = {0};
  assert_int_equal(solve_with("1 << 53", &e), ERR_OK);
  assert_int_equal(solve_with("-1 << 60", &e), ERR_OK);
  assert_int_not_equal(solve_with("(1 << 53) + 1", &e), ERR_OK);
  assert_non_null(strstr(e.text, "9007199254740993 is not held"));
  assert_int_not_equal(solve_with("math.maxinteger", &e), ERR_OK);
}

// What exercises work out their grids with.
static void blocks_for_elements(void **state) {
  (void)state;
  struct err_info e = {0};
  assert_int_equal(solve_with("1 // (blocks_for(4097, 128) // 33)", &e),
                   ERR_OK);
  assert_int_equal(solve_with("1 // (33 // blocks_for(4097, 128))", &e),
                   ERR_OK);
  assert_int_equal(solve_with("1 // (33 // blocks_for(4224, 128))", &e),
                   ERR_OK);
  assert_int_equal(solve_with("1 // (1 - blocks_for(0, 128))", &e), ERR_OK);
  assert_int_not_equal(solve_with("blocks_for(1, 0)", &e), ERR_OK);
  assert_non_null(strstr(e.text, "a block has at least one thread"));
  assert_int_not_equal(solve_with("blocks_for(-1, 32)", &e), ERR_OK);
}

static void cases_without_memory(void **state) {
  (void)state;
  struct exercise *ex = load_good();
  struct seed seed = {{0}};
  struct case_input in;
  struct err_info e;
  mem_fail_after(1);
  assert_int_not_equal(exercise_make_case(ex, 0, &seed, &in, &e), ERR_OK);
  assert_non_null(strstr(e.text, "no memory for y"));
  assert_int_equal(exercise_make_case(ex, 0, &seed, &in, &e), ERR_OK);
  case_input_free(&in);
  exercise_free(ex);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shipped_ones_load),
      cmocka_unit_test(signatures),
      cmocka_unit_test(cases_come_from_seeds),
      cmocka_unit_test(rows_are_written_as_lua),
      cmocka_unit_test(exact_inputs_are_exact),
      cmocka_unit_test(broken_ones_say_why),
      cmocka_unit_test(broken_goals_say_why),
      cmocka_unit_test(missing_ones_are_named),
      cmocka_unit_test(kind_lua),
      cmocka_unit_test(unknown_fields),
      cmocka_unit_test(unknown_results),
      cmocka_unit_test(lua_reference),
      cmocka_unit_test(rounded_whole_numbers),
      cmocka_unit_test(blocks_for_elements),
      cmocka_unit_test(cases_without_memory),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
