// SPDX-License-Identifier: Apache-2.0
// repl/edit/edit.h: lines, indentation, colours and pictures of a text.
#include "repl/edit/edit.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "repl/eval/eval.h"

// ---- Characters ----

static void characters(void **state) {
  static const struct {
    const char *text;
    int bytes, columns;
    const char *shown;
  } cases[] = {
      {"a", 1, 1, "a"},
      {"\xc3\xa9", 2, 1, "\xc3\xa9"},                 // e with an accent
      {"\xe4\xb8\xad", 3, 2, "\xe4\xb8\xad"},         // a wide one
      {"\xf0\x9f\x98\x80", 4, 2, "\xf0\x9f\x98\x80"}, // an emoji
      {"\xcc\x81", 2, 0, "\xcc\x81"},                 // an accent alone
      {"👩‍💻x", 11, 2, "👩‍💻"},         // two that are joined
      {"\x01", 1, 2, "^A"},
      {"\x1b", 1, 2, "^["},
      {"\x7f", 1, 2, "^?"},
      {"\xff", 1, 4, "\\xff"},
      {"\xe4\xb8", 1, 4, "\\xe4"},   // cut off
      {"\xc2\x9b", 2, 6, "\\u009b"}, // a control of eight bits
      {"\xe2\x80\xae"
       "x",
       3, 6, "\\u202e"}, // turns what follows around
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct edit_char c = edit_char_at(cases[i].text, strlen(cases[i].text));
    assert_int_equal(c.bytes, cases[i].bytes);
    assert_int_equal(c.columns, cases[i].columns);
    assert_string_equal(c.shown, cases[i].shown);
  }
}

// ---- Lines ----

// "|" is the place before and behind the move.
static void expect_move(const char *from, int by, int column, const char *to) {
  char *text = xstrdup(from);
  size_t at = strcspn(from, "|");
  memmove(text + at, text + at + 1, strlen(text + at));
  bool moves = edit_move(text, &at, by, column);
  struct str out = STR_INIT;
  str_addf(&out, "%.*s|%s", (int)at, text, text + at);
  assert_string_equal(out.data, to);
  assert_int_equal(moves, strcmp(from, to) != 0);
  str_free(&out);
  free(text);
}

static void moves(void **state) {
  (void)state;
  expect_move("one\ntwo|", -1, 3, "one|\ntwo");
  expect_move("one\nlonger|", -1, 6, "one|\nlonger");
  expect_move("one|\ntwo", -1, 3, "one|\ntwo");
  expect_move("one\ntwo|", 1, 3, "one\ntwo|");
  expect_move("o|ne\ntwo", 1, 1, "one\nt|wo");
  expect_move("one|\n\nlonger", 1, 3, "one\n|\nlonger");
  expect_move("one\n|\nlonger", 1, 3, "one\n\nlon|ger");
  expect_move("|", 1, 0, "|");
  expect_move("a\n|", -1, 0, "|a\n");
  expect_move("abc|\n\tx", 1, 3, "abc\n|\tx"); // inside a tab: before it
  expect_move("abcd|\n\tx", 1, 4, "abcd\n\t|x");
  // Inside a wide character: before it; never before an accent.
  expect_move("abc|\n\xe4\xb8\xad\xe4\xb8\xad", 1, 3,
              "abc\n\xe4\xb8\xad|\xe4\xb8\xad");
  expect_move("a|\ne\xcc\x81g", 1, 1, "a\ne\xcc\x81|g");
  assert_int_equal(edit_column("x\n\ta\xe4\xb8\xad", 7), EDIT_TAB + 3);
}

// ---- Indentation ----

// Each line stands as deep as its text asks for, and that is found from what
// stands above it and the line's own first word.
static void expect_indents(const char *text) {
  const char *line = text;
  for (;;) {
    int blanks = (int)strspn(line, " ");
    if (line[blanks] != '\n' && line[blanks]) {
      int found = edit_indent(text, (size_t)(line - text), input_starts_cuda);
      if (found != blanks)
        fail_msg("%d blanks, not %d, before: %s", found, blanks, line);
    }
    if (!strchr(line, '\n'))
      return;
    line = strchr(line, '\n') + 1;
  }
}

static void indents(void **state) {
  (void)state;
  expect_indents("function f(a)\n"
                 "  if a then\n"
                 "    return 1\n"
                 "  elseif b then\n"
                 "    g(function()\n"
                 "      repeat\n"
                 "        x = x + 1\n"
                 "      until x == [[ end ]] -- do\n"
                 "    end)\n"
                 "  else\n"
                 "    for i = 1, 3 do print(\"then\") end\n"
                 "    t = {\n"
                 "      {1, 2},\n"
                 "      n = 3,\n"
                 "    }\n"
                 "  end\n"
                 "end\n"
                 "x = 3");
  expect_indents("__global__ void add(const float *x,\n"
                 "    float *out, int n) {\n"
                 "  int i = threadIdx.x; // {\n"
                 "  if (i < n)\n"
                 "    out[i] = x[i];\n"
                 "  for (int k = 0; k < n; k++) {\n"
                 "    while (x[k])\n"
                 "      k++;\n"
                 "    if (k) {\n"
                 "      k = '{';\n"
                 "    } else\n"
                 "      k = 2;\n"
                 "  }\n"
                 "}\n"
                 "y = add[{1, 2}](3)");
  expect_indents(":time f(function()\n" // a command is one line
                 "x = 1");
}

static void indents_of_other_widths(void **state) {
  (void)state;
  assert_int_equal(edit_indent("f(function()\n     if x then\n", 27, NULL), 7);
  assert_int_equal(edit_indent("", 0, NULL), 0);
  assert_int_equal(edit_indent("x = [[\n     {\n", 14, NULL), 5); // as before
  assert_int_equal(edit_indent(")))}\n", 5, NULL), 0);
}

// Nothing that is typed is too deep or too long for it.
static void indents_what_is_deep(void **state) {
  (void)state;
  char text[2001];
  memset(text, '{', 1000);
  memset(text + 1000, '}', 1000);
  text[2000] = 0;
  text[900] = text[1990] = '\n';
  assert_int_equal(edit_indent(text, 901, NULL), 2);
  edit_indent(text, 1991, NULL);
}

// ---- Colours ----

// One letter a byte: k(eyword), s(tring), n(umber), c(omment), b(uiltin),
// :(command), m(atch).
static void expect_colours(const char *text, int point, const char *expected) {
  static const char letters[] = ".ksncb:m";
  unsigned char styles[200];
  char found[200];
  edit_colour(text, input_starts_cuda, styles);
  if (point >= 0)
    edit_match(text, (size_t)point, styles);
  for (size_t i = 0; i < strlen(text); i++)
    found[i] = text[i] == '\n' ? '\n' : letters[styles[i]];
  found[strlen(text)] = 0;
  assert_string_equal(found, expected);
}

static void colours(void **state) {
  (void)state;
  expect_colours("local x = 0x1F .. \"a\\\"b\" -- end", -1,
                 "kkkkk.....nnnn....ssssss.cccccc");
  expect_colours("x = [=[ a ]] ]=] + 3", -1, "....ssssssssssss...n");
  expect_colours("__shared__ float s[3]; // x", -1,
                 "bbbbbbbbbb.kkkkk...n...cccc");
  expect_colours("#define N 4\nint f() { return N; }\nlocal t", -1,
                 "bbbbbbbbbbb\nkkk.......kkkkkk.....\nkkkkk..");
  expect_colours(":time f(1)", -1, ":::::...n.");
  expect_colours("print(\"open", -1, "......sssss");
  expect_colours("/* a\nb */ int x;", -1, "cccc\ncccc.kkk...");
}

// Where the cursor goes over the next brackets; -1: nowhere.
static int over(const char *text, size_t at, int by) {
  unsigned char styles[100];
  edit_colour(text, input_starts_cuda, styles);
  return edit_over_brackets(text, styles, &at, by) ? (int)at : -1;
}

static void over_brackets(void **state) {
  (void)state;
  assert_int_equal(over("f(a[1], \")\") + g()", 0, 1), 12);
  assert_int_equal(over("f(a[1], \")\") + g()", 12, 1), 18);
  assert_int_equal(over("f(a[1], \")\") + g()", 2, 1), 6);
  assert_int_equal(over("f(a[1], \")\") + g()", 6, 1), -1); // closes first
  assert_int_equal(over("f(a[1], \")\") + g()", 15, -1), 1);
  assert_int_equal(over("f(a[1], \")\") + g()", 1, -1), -1);
  assert_int_equal(over("f(a", 0, 1), -1);
  assert_int_equal(over("f(a]", 0, 1), -1);
  assert_int_equal(over("", 0, 1), -1);
}

static void brackets(void **state) {
  (void)state;
  expect_colours("f(a[1])", 1, ".m..n.m");
  expect_colours("f(a[1])", 7, ".m..n.m");
  expect_colours("f(a[1])", 6, ".m..n.m"); // at it, before the one behind
  expect_colours("f(a[1])", 4, "...mnm.");
  expect_colours("f(\")\")", 1, ".msssm");
  expect_colours("f(a]", 1, "....");
  expect_colours("f(", 1, "..");
  expect_colours(")", 0, ".");
  expect_colours("", 0, "");
}

// ---- Pictures ----

// The rows as they are seen, with "|" where the cursor is.
static void expect_picture(struct edit_view v, const char *expected) {
  struct edit_picture p;
  struct str out = STR_INIT;
  int top = 0;
  edit_picture_draw(&v, &top, &p);
  for (int i = 0; i < p.count; i++) {
    str_add(&out, p.rows[i].bytes);
    str_add_char(&out, '\n');
  }
  str_addf(&out, "%d,%d", p.cursor_row, p.cursor_column);
  assert_string_equal(out.data, expected);
  str_free(&out);
  edit_picture_free(&p);
}

static void pictures(void **state) {
  (void)state;
  struct edit_view v = {"> ", ". ", "", 0, NULL, NULL, 8, 5};
  expect_picture(v, "> \n0,2");
  v.text = "abc\nd";
  v.point = 5;
  expect_picture(v, "> abc\n. d\n1,3");
  v.text = "abcdef"; // a full row: the cursor stands on the next
  v.point = 6;
  expect_picture(v, "> abcdef\n\n1,0");
  v.point = 5;
  expect_picture(v, "> abcdef\n0,7");
  v.text = "abcde\xe4\xb8\xad"; // a wide one does not fit
  v.point = 5;
  expect_picture(v, "> abcde\n\xe4\xb8\xad\n0,7");
  v.text = "e\xcc\x81\tx\x01";
  v.point = 3;
  expect_picture(v, "> e\xcc\x81   x\n^A\n0,3");
  v.prompt = "two\nlines \1\x1b[1m\2> ";
  v.text = "x";
  v.point = 1;
  expect_picture(v, "two\nlines > \nx\n2,1");
  v.note = "a note that is long";
  expect_picture(v, "two\nlines > \nx\na ...\n2,1");
}

// Of a text with more rows than the terminal: those around the cursor.
static void windows(void **state) {
  (void)state;
  struct edit_view v = {"> ", ". ", "1\n2\n3\n4\n5\n6", 11, NULL, NULL, 8, 3};
  expect_picture(v, ". 4\n. 5\n. 6\n2,3");
  v.point = 0;
  expect_picture(v, "> 1\n. 2\n. 3\n0,2");
  v.note = "n";
  expect_picture(v, "> 1\n. 2\nn\n0,2");
  v.rows = 1;
  expect_picture(v, "> 1\n0,2");
  v.rows = 0;
  v.note = NULL;
  expect_picture(v, "> 1\n. 2\n. 3\n. 4\n. 5\n. 6\n0,2");
}

static char *change(const char *before, size_t was, const char *after,
                    size_t is) {
  struct edit_view v = {"> ", ". ", before, was, NULL, NULL, 20, 10};
  struct edit_picture old, now;
  struct str out = STR_INIT;
  int top = 0;
  edit_picture_draw(&v, &top, &old);
  v.text = after;
  v.point = is;
  edit_picture_draw(&v, &top, &now);
  edit_picture_change(&old, &now, &out);
  edit_picture_free(&old);
  edit_picture_free(&now);
  return str_take(&out);
}

// Only what differs is written.
static void changes(void **state) {
  static const struct {
    const char *before;
    size_t was;
    const char *after;
    size_t is;
    const char *written;
  } cases[] = {
      {"ab", 2, "abc", 3, "\r\x1b[4Cc\r\x1b[5C"},
      {"ab\nc", 4, "ab\nc", 1, "\x1b[1A\r\x1b[3C"},
      {"ab\nc\nd", 1, "ab\nx\nd", 4, "\x1b[1B\r\x1b[2C\x1b[Kx\r\x1b[3C"},
      {"ab", 2, "ab\n", 3, "\r\n\r. \r\x1b[2C"},
      {"ab\nc", 4, "ab", 2, "\r\x1b[J\x1b[1A\r\x1b[4C"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *written =
        change(cases[i].before, cases[i].was, cases[i].after, cases[i].is);
    assert_string_equal(written, cases[i].written);
    free(written);
  }
}

// Once the terminal is narrower, the rows that it broke are counted.
static void rows_above(void **state) {
  (void)state;
  struct edit_view v = {"> ", ". ", "abcdefghij\nk\nl", 14, NULL, NULL, 20, 10};
  struct edit_picture p;
  int top = 0;
  edit_picture_draw(&v, &top, &p);
  assert_int_equal(edit_picture_rows_above(&p, 20), 2);
  assert_int_equal(edit_picture_rows_above(&p, 5), 4);
  assert_int_equal(edit_picture_rows_above(&p, 3), 6);
  edit_picture_free(&p);
}

// Whatever the bytes are, a text is scanned, coloured, indented and drawn.
static void any_bytes(void **state) {
  (void)state;
  unsigned seed = 7;
  for (int round = 0; round < 2000; round++) {
    static const char some[] =
        "{}()[]\"'/*-=\\\n\tend do R#:\xff\xe4\xb8\xad\x01";
    char text[60];
    unsigned char styles[60];
    size_t n = 0;
    for (; n < sizeof text - 1; n++) {
      seed = seed * 1103515245 + 12345;
      text[n] = some[(seed >> 16) % (sizeof some - 1)];
    }
    text[n] = 0;
    edit_colour(text, input_starts_cuda, styles);
    edit_match(text, n / 2, styles);
    edit_indent(text, edit_line_start(text, n), input_starts_cuda);
    struct edit_view v = {"> ", ". ", text, n, styles, NULL, 7, 4};
    struct edit_picture p;
    int top = 0;
    edit_picture_draw(&v, &top, &p);
    assert_in_range(p.count, 1, 4);
    assert_in_range(p.cursor_row, 0, 3);
    assert_in_range(p.cursor_column, 0, 6);
    for (int i = 0; i < p.count; i++)
      assert_true(p.rows[i].columns <= 7);
    edit_picture_free(&p);
  }
}

int main(void) {
  setlocale(LC_CTYPE, "C.UTF-8");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(characters),
      cmocka_unit_test(moves),
      cmocka_unit_test(indents),
      cmocka_unit_test(indents_of_other_widths),
      cmocka_unit_test(indents_what_is_deep),
      cmocka_unit_test(colours),
      cmocka_unit_test(brackets),
      cmocka_unit_test(over_brackets),
      cmocka_unit_test(pictures),
      cmocka_unit_test(windows),
      cmocka_unit_test(changes),
      cmocka_unit_test(rows_above),
      cmocka_unit_test(any_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
