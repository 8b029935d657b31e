// SPDX-License-Identifier: Apache-2.0
// A text of several lines while it is edited: its lines, its indentation, its
// colours and how it stands on a terminal. Nothing here reads or writes: the
// terminal is repl/tui's, and what is Lua or CUDA C the caller says.
#ifndef REPL_EDIT_EDIT_H
#define REPL_EDIT_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

// Does this line begin CUDA C? What else begins at a top level is Lua, or a
// command (":name ...").
typedef bool edit_is_cuda(const char *line);

// ---- edit_char.c: what a terminal shows of bytes ----

// One character with what is drawn over it (base/text/text.h) at the start of `text`, which has `bytes` bytes left (1 or
// more): how many of them it takes, and the columns that `shown` takes. What is
// no printable UTF-8 is shown as "^A", "\x9c" or "\u202e".
struct edit_char {
  int bytes, columns;
  char shown[80]; // "" of a line end and of a tab, whose columns are left 0
};
struct edit_char edit_char_at(const char *text, size_t bytes);
enum { EDIT_TAB = 4 }; // columns from one stop to the next

// ---- edit_lines.c: moving by lines ----

size_t edit_line_start(const char *text, size_t at);
size_t edit_line_end(const char *text, size_t at);
// Columns from the start of its line to `at`.
int edit_column(const char *text, size_t at);
// Moves `*at` one line up (`by` -1) or down (1), to that column or the line's
// end; false at the first or last line.
bool edit_move(const char *text, size_t *at, int by, int column);

// ---- edit_scan.c: tokens of Lua and CUDA C, and what is open ----

enum edit_kind {
  EDIT_END, // of the text
  EDIT_LINE_END,
  EDIT_NAME,
  EDIT_NUMBER,
  EDIT_STRING,
  EDIT_COMMENT,
  EDIT_MARK,      // one byte that is none of these
  EDIT_DIRECTIVE, // a line of the preprocessor
  EDIT_COMMAND,   // ":name", "?", "!", "%name" at a top level
};

struct edit_token {
  enum edit_kind kind;
  size_t at, bytes;
  bool is_cuda;
  bool is_open; // a string or comment that the text ends inside of
};

enum { EDIT_NESTS = 200 }; // deeper ones are counted, not known

struct edit_scan {
  const char *text;
  size_t bytes, at;
  edit_is_cuda *is_cuda_line;
  bool is_cuda, is_line_start, is_command;
  bool has_ended;  // a declaration of CUDA C: the next line may be Lua
  bool waits;      // behind `if (...)`, `for (...)`, `else` of CUDA C
  bool was_head;   // the name before was `if`, `for`, `while`
  int line_indent; // of the line at hand
  int depth;
  struct edit_nest {
    char kind; // '(' '[' '{', 'b': a block of Lua's
    bool is_head;
    int indent; // of the line that opened it
  } nests[EDIT_NESTS];
};

void edit_scan_begin(struct edit_scan *s, const char *text, size_t bytes,
                     edit_is_cuda *is_cuda_line);
struct edit_token edit_scan_next(struct edit_scan *s);

// ---- edit_indent.c ----

// How many blanks belong before the line that begins at `line`: as many as what
// is open there asks for.
int edit_indent(const char *text, size_t line, edit_is_cuda *is_cuda_line);
// Does the line begin with what ends a block ("}", "end", "else")?
bool edit_begins_with_end(const char *text, size_t line,
                          edit_is_cuda *is_cuda_line);

// ---- edit_colour.c ----

enum edit_style {
  EDIT_STYLE_PLAIN,
  EDIT_STYLE_KEYWORD,
  EDIT_STYLE_STRING,
  EDIT_STYLE_NUMBER,
  EDIT_STYLE_COMMENT,
  EDIT_STYLE_BUILTIN, // threadIdx, __shared__, atomicAdd
  EDIT_STYLE_COMMAND,
  EDIT_STYLE_MATCH, // a bracket at the cursor, and its other half
  EDIT_STYLE_NOTE,  // and a suggestion
  EDIT_STYLES
};

// Fills one style a byte of `text` ("styles" has room for them all).
void edit_colour(const char *text, edit_is_cuda *is_cuda_line,
                 unsigned char *styles);
// Marks the bracket at `point`, or the one before it, and its other half, where
// it has one.
void edit_match(const char *text, size_t point, unsigned char *styles);
// The next bracket from `*at` on (`by` 1) or before it (-1), if it opens towards
// there: `*at` goes behind its other half, or before it. False where it does not, or
// has none.
bool edit_over_brackets(const char *text, const unsigned char *styles,
                        size_t *at, int by);

// ---- edit_picture.c ----

struct edit_view {
  const char *prompt, *more; // before the first line, before the others
  const char *text;
  size_t point;
  const unsigned char *styles; // NULL: plain
  const char *note;            // a line below the text, or NULL
  int columns, rows;           // of the terminal; 0 rows: show all
  const char *suggestion;      // dim behind the text; NULL or "": none
};

struct edit_row {
  char *bytes; // with the escapes of its colours
  int columns;
};

struct edit_picture {
  struct edit_row *rows;
  int count;
  int cursor_row, cursor_column;
};

// Draws what fits: where the text has more rows than the terminal, those around
// the cursor; `top` is the first row that was shown before, and is moved on.
void edit_picture_draw(const struct edit_view *v, int *top,
                       struct edit_picture *out);
void edit_picture_free(struct edit_picture *p);
// Adds what turns the picture that a terminal shows into another. The cursor
// stands where `old` says, and will where `now` does.
void edit_picture_change(const struct edit_picture *old,
                         const struct edit_picture *now, struct str *out);
// Rows above the cursor once the terminal has become that wide, which broke
// its longer rows.
int edit_picture_rows_above(const struct edit_picture *p, int columns);

#endif
