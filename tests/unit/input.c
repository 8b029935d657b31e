// SPDX-License-Identifier: Apache-2.0
// repl/eval/eval.h, pieces.h and python.h: what is typed, told apart.
#include "repl/eval/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lualib.h>

#include "lua/bind/state/bind.h"
#include "repl/eval/pieces.h"
#include "repl/eval/python.h"

static lua_State *L;

static void cuda_starts(void **state) {
  static const char *const yes[] = {"__global__ void f() {",
                                    "  __device__ int x;",
                                    "template <int N>",
                                    "extern \"C\" __global__",
                                    "#include <cstdio>",
                                    "#define N 4",
                                    "struct body {",
                                    "// a comment",
                                    "/* a",
                                    "typedef float real;",
                                    "using real = float;",
                                    "static __device__",
                                    "constexpr int n = 3;",
                                    "__launch_bounds__(128)",
                                    "const int n = 3;",
                                    "void k(float *x) {",
                                    "float f(float a)",
                                    "int main() {",
                                    "unsigned int f(int a)",
                                    "float4 *f(",
                                    "void\tk (",
                                    "__constant__ float c[4];",
                                    "extern __shared__ float s[];"};
  static const char *const no[] = {
      "x = 3",        "static = 1",  "struct.x = 1", "print(__global__)",
      "-- lua",       "template(3)", "const = 4",    "class()",
      "function f()", "externs = 2", "#x",           "#np.arange(7)",
      "#included",    "struct (x)",  "float(3)",     "int",
      "void = 3",     "f(x)",        "float.f(2)",   "return f(x)",
      "local f(x)",   "x = int f(",  "float f"};
  (void)state;
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
    if (!input_starts_cuda(yes[i]))
      fail_msg("not seen as CUDA: %s", yes[i]);
  for (size_t i = 0; i < sizeof no / sizeof *no; i++)
    if (input_starts_cuda(no[i]))
      fail_msg("seen as CUDA: %s", no[i]);
}

// A learner's own Lua names stay Lua.
static void lua_names_stay_lua(void **state) {
  static const char *const lines[] = {"struct {x = 1}", "struct{",
                                      "float * f(2)",   "enum 'a'",
                                      "class[1] = 2",   "#include"};
  (void)state;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct input in;
    input_init(&in);
    (void)luaL_dostring(
        L, "struct, float, enum, class, include = 1, 2, 3, {}, {}");
    assert_int_not_equal(input_add(&in, L, lines[i]), INPUT_CUDA);
    assert_false(in.is_cuda);
    input_clear(&in);
    assert_int_equal(input_add(&in, L, "float f(float a) {"), INPUT_MORE);
    assert_true(in.is_cuda);
    (void)luaL_dostring(L, "struct, float, enum, class, include = nil");
    input_clear(&in);
    input_add(&in, L, "struct {");
    assert_true(in.is_cuda);
    input_free(&in);
  }
}

static void cuda_ends(void **state) {
  static const char *const whole[] = {
      "__global__ void f() {}",
      "__global__ void f(int *a)\n{\n  a[0] = '{';\n}",
      "__global__ void f() { // }\n}",
      "__global__ void f() { /* } */ }",
      "__global__ void f() { printf(\"}{\\\"{\"); }",
      "__device__ const char *s = R\"x({{)\" )x\";",
      "struct body {\n  float x;\n};",
      "template <int N>\n__global__ void f(int *a) { a[0] = N; }",
      "#include <cstdio>",
      "#define F(x) \\\n  (x + 1)",
      "#if 1\n__device__ int x;\n#endif",
      "struct body f() { }", // a function that returns one
      "__constant__ float c[2] = {1, 2};",
      "__device__ int n = 1'000;",
      "// what follows\n__device__ int x;",
  };
  static const char *const open[] = {
      "__global__ void f() {",
      "__global__ void f(int *a)",
      "__global__ void f() { // }",
      "__global__ void f() { /* }",
      "__global__ void f() { s = \"}\";",
      "__device__ const char *s = R\"x({{)\" ;",
      "struct body {\n  float x;\n}",
      "template <int N>",
      "#define F(x) \\",
      "#if 1\n__device__ int x;",
      "// only a comment",
      "/* open",
      "__constant__ float c[2] = {1,",
  };
  (void)state;
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    if (!input_cuda_is_whole(whole[i]))
      fail_msg("should be whole: %s", whole[i]);
  for (size_t i = 0; i < sizeof open / sizeof *open; i++)
    if (input_cuda_is_whole(open[i]))
      fail_msg("should be open: %s", open[i]);
}

static enum input_state type(struct input *in, const char *line) {
  return input_add(in, L, line);
}

static void lines(void **state) {
  struct input in;
  (void)state;
  input_init(&in);
  assert_int_equal(type(&in, "  "), INPUT_EMPTY);
  input_clear(&in);
  assert_int_equal(type(&in, "x = 1"), INPUT_LUA);
  input_clear(&in);
  assert_int_equal(type(&in, "for i = 1, 2 do"), INPUT_MORE);
  assert_int_equal(type(&in, "  print(i)"), INPUT_MORE);
  assert_int_equal(type(&in, "end"), INPUT_LUA);
  assert_string_equal(in.text.data, "for i = 1, 2 do\n  print(i)\nend");
  input_clear(&in);
  assert_int_equal(type(&in, "x = [==["), INPUT_MORE);
  assert_int_equal(type(&in, "]==]"), INPUT_LUA);
  input_clear(&in);
  assert_int_equal(type(&in, "x ="), INPUT_MORE);
  input_clear(&in);
  assert_int_equal(type(&in, "x = )"), INPUT_LUA);
  input_clear(&in);
  assert_int_equal(type(&in, ":help"), INPUT_COMMAND);
  input_clear(&in);
  assert_int_equal(type(&in, "  :help"), INPUT_COMMAND); // no Lua begins so
  input_clear(&in);
  assert_int_equal(type(&in, "?warp"), INPUT_COMMAND);
  input_clear(&in);
  assert_int_equal(type(&in, "!ls"), INPUT_COMMAND);
  input_clear(&in);
  assert_int_equal(type(&in, "%timeit f(x)"), INPUT_COMMAND);
  input_clear(&in);
  static const char *const python[] = {"if x > 3:", "for v in x: print(v)",
                                       "while n > 0: n -= 1"};
  for (size_t i = 0; i < 3; i++) { // answered at once
    assert_int_equal(type(&in, python[i]), INPUT_LUA);
    input_clear(&in);
  }
  static const char *const lua[] = {
      "for i = 1, 3 do print(\"a: \",", "for _, v in pairs(x) do v: go()",
      "while x:done()", "if not x then print(\"who: me\") else",
      "if not x then print('a \\' b: c') else"};
  for (size_t i = 0; i < sizeof lua / sizeof *lua; i++) {
    assert_int_equal(type(&in, lua[i]), INPUT_MORE);
    input_clear(&in);
  }
  assert_int_equal(type(&in, "__global__ void f() {"), INPUT_MORE);
  assert_int_equal(type(&in, ""), INPUT_MORE);
  assert_int_equal(type(&in, "}"), INPUT_CUDA);
  input_clear(&in);
  assert_int_equal(type(&in, "__global__ void f() {"), INPUT_MORE);
  assert_int_equal(type(&in, ""), INPUT_MORE);
  assert_int_equal(type(&in, ""), INPUT_MORE); // a file that is pasted
  assert_int_equal(in.empty_lines, 2);
  assert_int_equal(type(&in, "}"), INPUT_CUDA);
  input_free(&in);
}

// Runs `text` and compares the number of values and the first of them.
static void gives(const char *text, int count, const char *first) {
  bool is_unfinished;
  int base = lua_gettop(L);
  assert_int_equal(bind_compile(L, text, "=t", &is_unfinished), LUA_OK);
  assert_int_equal(lua_pcall(L, 0, LUA_MULTRET, 0), LUA_OK);
  assert_int_equal(lua_gettop(L) - base, count);
  if (count)
    assert_string_equal(luaL_tolstring(L, base + 1, NULL), first);
  lua_settop(L, base);
}

static void last_value(void **state) {
  (void)state;
  gives("1 + 1", 1, "2");
  gives("v = 3", 0, NULL);
  gives("v = 3; v", 1, "3");
  gives("v = 3\nv + 1 -- the end", 1, "4");
  gives("local a = 1\nlocal b = 2\na + b", 1, "3");
  gives("v = 5; tostring(v); tostring(v)", 1, "5");
  gives("function g(x) return x, 2 end; g(7)", 2, "7");
  // What compiles as it is keeps its meaning.
  gives("y = 3\n- 1", 0, NULL);
  gives("y", 1, "2");
  gives("if true then tostring(1) end", 0, NULL);
  gives("z = 1; tostring(z)\n- 0", 1, "1");
  gives("s = [[\nv]]", 0, NULL);
}

static void names_of_pieces(void **state) {
  static const struct {
    const char *text, *name;
  } rows[] = {
      {"__device__ float sq(float x) { return x * x; }", "sq(float x)"},
      {"__device__\nfloat sq( float x )", "sq( float x )"},
      {"#include <cstdio>", "#include <cstdio>"},
      {"#define N 32", "#define N"},
      {"#define F(x) (x)", "#define F"},
      {"struct body { float x; };", "struct body"},
      {"template <class T, int N> struct box { T x[N]; };", "struct box"},
      {"template <int N>\n__device__ int f() { return N; }", "f()"},
      {"__constant__ float table[4] = {1};", "table"},
      {"typedef float real;", "real"},
      {"using real = double;", "real"},
      {"__device__ __align__(16) int x;", "x"},
      {"/* a */ __device__ int // b\n counter;", "counter"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct cuda_text c;
    cuda_text_read(&c, rows[i].text);
    assert_int_equal(c.pieces.count, 1);
    assert_string_equal(c.pieces.list[0].name, rows[i].name);
    cuda_text_free(&c);
  }
}

static void keep(struct pieces *p, const char *text) {
  struct cuda_text c;
  cuda_text_read(&c, text);
  pieces_keep(p, &c);
  cuda_text_free(&c);
}

static char *source_of(const struct pieces *p, const char *text,
                       const char *file) {
  struct str out = STR_INIT;
  struct cuda_text c;
  cuda_text_read(&c, text);
  pieces_source(p, &c, file, &out);
  cuda_text_free(&c);
  return str_take(&out);
}

// A file that was pasted a declaration at a time is loaded: what it declares is
// there once.
static void pieces_of_a_file(void **state) {
  struct pieces p = {0};
  (void)state;
  keep(&p, "#define N 1\n\n__device__ int f(int x) { return N; }\n\n");
  assert_int_equal(p.count, 2);
  keep(&p, "__device__ int g() { return 1; }");
  char *out = source_of(&p,
                        "#define N 2\n// twice\n__device__ int f(int x) {\n"
                        "  return 2 * N;\n}\n__global__ void k() {}\n",
                        NULL);
  assert_string_equal(out, "__device__ int g() { return 1; }\n"
                           "#define N 2\n// twice\n"
                           "__device__ int f(int x) {\n"
                           "  return 2 * N;\n}\n"
                           "__global__ void k() {}\n\n");
  free(out);
  pieces_free(&p);
}

static void pieces_replace(void **state) {
  struct pieces p = {0};
  (void)state;
  keep(&p, "#define N 1");
  keep(&p, "__device__ int f(int x) { return N; }");
  keep(&p, "#define N 2");
  assert_int_equal(p.count, 2);
  char *out = source_of(&p, "__global__ void k() {}", "k.cu");
  assert_null(strstr(out, "#define N 1"));
  const char *define = strstr(out, "#define N 2");
  const char *helper = strstr(out, "int f(");
  const char *kernel = strstr(out, "#line 1 \"k.cu\"\n__global__");
  assert_true(define && helper && kernel && define < helper && helper < kernel);
  free(out);
  out = source_of(&p, "__device__ int f(int x) { return 3; }", "t.cu");
  assert_null(strstr(out, "return N"));
  free(out);
  pieces_free(&p);
}

// A macro of several lines is one declaration; so is what stands in #if.
static void pieces_of_lines(void **state) {
  struct pieces p = {0};
  (void)state;
  keep(&p, "#define TWICE(x) \\\n  (2 * (x))\n"
           "#ifdef A\nint a;\n#else\nint b;\n#endif\n"
           "struct pair {\n  int x;\n}\n;\n/* the end; */\n");
  assert_int_equal(p.count, 4);
  assert_string_equal(p.list[0].name, "#define TWICE");
  assert_non_null(strstr(p.list[0].text, "(2 * (x))"));
  assert_string_equal(p.list[2].name, "struct pair");
  pieces_free(&p);
}

static void kernels_of_a_text(void **state) {
  static const struct {
    const char *text, *names;
    bool is_template;
  } rows[] = {
      {"template <int N> __global__ void k() {}", "k ", true},
      {"// __global__\n__device__ int x;", "", false},
      {"__global__ void __launch_bounds__(64) k(int *a) {}", "k ", false},
      {"__global__ void a() {}\ntemplate <int N>\n__global__ void b() {}",
       "a b ", false},
      {"template <int N> __device__ int f() { return N; }\n"
       "__global__ void k(/* of */ int n) {}",
       "k ", false},
      {"template <int N> __global__", "", false},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct cuda_text c;
    struct str names = STR_INIT;
    cuda_text_read(&c, rows[i].text);
    for (int k = 0; k < c.kernel_count; k++)
      str_addf(&names, "%s ", c.kernels[k]);
    assert_string_equal(names.len ? names.data : "", rows[i].names);
    assert_int_equal(c.is_template, rows[i].is_template);
    str_free(&names);
    cuda_text_free(&c);
  }
}

static const struct {
  const char *line, *part;
} python_rows[] = {
    {"if x != None and 2**3 == 8: print(True)",
     "if x ~= nil and 2 ^ 3 == 8 then print(true) end"},
    {"import numpy as np", "Nothing to import"},
    {"from numba import cuda", "Nothing to import"},
    {"@cuda.jit", "__global__"},
    {"def f(a, b):", "function f(a, b) ... end"},
    {"for i in range(10):", "for i = 0, 9 do ... end"},
    {"x[1:5]", "x[\"1:5\"]"},
    {"y = x[::2]", "x[\"::2\"]"},
    {"add[32, 128](x, y)", "add[{32, 128}](x, y)"},
    {"x = np.zeros(4, dtype=np.float32)",
     "x = np.zeros(4, {dtype = np.float32})"},
    {"if a != b:", "if a ~= b then"},
    {"if a != None: print(a)", "if a ~= nil then print(a) end"},
    // A parenthesis is missing: what there is, in Lua's words.
    {"while x != None and (y:", "while x ~= nil and (y do ... end"},
    {"elif Nonesuch > 3:", "elseif Nonesuch > 3 then"},
    {"while x ** 2 != 4:", "while x ^ 2 ~= 4 do"},
    {"if Nonesuch != Trueish:", "if Nonesuch ~= Trueish then"},
    {"for v in x:", "for _, v in ipairs(x) do"},
    {"print(f\"n = {n + 1} here\")", "print((\"n = %s here\"):format(n + 1))"},
    {"f'{n}'", "('%s'):format(n)"},
    {"f'{n:.3f} of {m}'", "('%.3f of %s'):format(n, m)"},
    {"t = {'a': 1}", "t = {a = 1}"},
    {"t = {'a': 1, 'b': 2}", "{a = 1, b = 2}"},
    {"'%d' % 3", "('%d'):format(3)"},
    {"print(\"%d of %d\" % (i, n))", "(\"%d of %d\"):format(i, n)"},
    {"if a: print(a)", "if a then print(a) end"},
    {"a != b", "a ~= b"},
    {"x += 1", "x = x + 1"},
    {"y = [1, 2, 3]", "{1, 2, 3}"},
    {"x = None", "nil"},
    {"f = lambda x: x * x", "f = function(x) return x * x end"},
    {"import jax.numpy as jnp",
     "np, jax, jnp, cuda, frame, h5, ml and scale are there"},
    {"x = jnp.ones((2, 3))", "jnp.ones{2, 3}"},
    {"np.zeros([2, 3])", "np.zeros{2, 3}"},
    {"np.mean(x, axis=0)", "np.mean(x, {axis = 0})"},
    {"x[\"0:2\", 1]", "x[\"0:2, 1\"]"},
    {"jnp.ones{2,3} @ y", "np.matmul"},
    {"f(x) = x^2", "function f(x) return x ^ 2 end"},
    {"print x", "print(x)"},
    {"# what it does", "begins with --"},
    {"x = 3; // the size", "begins with --"},
    {"add<<<32, 128>>>(x, y);", "add[{32, 128}](x, y)"},
    {"x++", "x = x + 1"},
    {"if a && b then", "a and b"},
    {"x = !y", "This line in Lua:\n  x = not y"}, // no row has it
    {"int n = 5;", "n = 5"},
};

static const char *const lua_lines[] = {"x = {1, 2}",
                                        "print(x)",
                                        "y = [[text",
                                        "a ~= b",
                                        "t.x = function(a) return a end",
                                        "f(x, {a = 1, b = 2}, 3)",
                                        "y = 7 // 2",
                                        "#x",
                                        "f(\"x\")",
                                        "t = {a = 1}",
                                        "r = (\"%d\"):format(5 % 3)",
                                        "goto done; ::done::",
                                        "print(#x)",
                                        "local f = function(a, b) x = 3 end"};

static void python(void **state) {
  struct str answer = STR_INIT;
  (void)state;
  for (size_t i = 0; i < sizeof python_rows / sizeof *python_rows; i++) {
    str_clear(&answer);
    if (!python_answer(L, python_rows[i].line, true, &answer) ||
        !strstr(answer.data, python_rows[i].part))
      fail_msg("%s: \"%s\"", python_rows[i].line, answer.data);
  }
  for (size_t i = 0; i < sizeof lua_lines / sizeof *lua_lines; i++) {
    str_clear(&answer);
    if (python_answer(L, lua_lines[i], false, &answer))
      fail_msg("%s: \"%s\"", lua_lines[i], answer.data);
  }
  str_free(&answer);
}

static int set_up(void **state) {
  (void)state;
  L = luaL_newstate();
  luaL_openlibs(L);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  lua_close(L);
  return 0;
}

// ---- Long texts ----

// After how many lines `line`, put once behind `first` and then again and again,
// ends to be unfinished; 0: not within `most`.
static int lines_until_whole(const char *first, const char *line, int odd_line,
                             const char *odd, int most) {
  struct input in;
  int n = 1;
  input_init(&in);
  enum input_state state = input_add(&in, L, first);
  while (state == INPUT_MORE && n < most)
    state = input_add(&in, L, ++n == odd_line ? odd : line);
  input_free(&in);
  return state == INPUT_MORE ? 0 : n;
}

// Whole is what is whole, however long; a mistake inside of brackets is not
// looked for at each line of a long text.
static void long_texts(void **state) {
  (void)state;
  for (int n = 2; n < 200; n += 7) {
    assert_int_equal(lines_until_whole("t = {", "1,", n, "}", 300), n);
    assert_int_equal(lines_until_whole("t = [[", "}", n, "]]", 300), n);
    assert_int_equal(
        lines_until_whole("f = function()", "-- end", n, "end", 300), n);
    assert_int_equal(
        lines_until_whole("__global__ void k() {", "f(); // }", n, "}", 300),
        n);
    assert_int_equal(lines_until_whole("/* a", "}", n, "*/ int x;", 300), n);
  }
  assert_int_equal(lines_until_whole("t = {", "1,", 10, "= =", 300), 10);
  assert_int_equal(lines_until_whole("t = {", "1,", 70, "= =", 300), 128);
  assert_int_equal(lines_until_whole("t = {", "1,", 0, "", 300), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cuda_starts),     cmocka_unit_test(lua_names_stay_lua),
      cmocka_unit_test(cuda_ends),       cmocka_unit_test(lines),
      cmocka_unit_test(last_value),      cmocka_unit_test(names_of_pieces),
      cmocka_unit_test(pieces_replace),  cmocka_unit_test(pieces_of_a_file),
      cmocka_unit_test(pieces_of_lines), cmocka_unit_test(kernels_of_a_text),
      cmocka_unit_test(python),          cmocka_unit_test(long_texts),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
