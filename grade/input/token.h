// SPDX-License-Identifier: Apache-2.0
// The tokens of a text in CUDA C or in Lua, its brackets and its statements.
#ifndef GRADE_INPUT_TOKEN_H
#define GRADE_INPUT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
  TOKEN_NAME, // keywords as well
  TOKEN_NUMBER,
  TOKEN_TEXT, // a string, a character
  TOKEN_SIGN, // an operator, a bracket
};

struct token {
  enum token_kind kind;
  size_t offset, bytes;
  int line, column; // from 1
  int partner;      // of a bracket, the other one; -1: none
  int outer;        // the bracket that was opened last and is not closed; -1
};

struct tokens {
  const char *text; // borrowed
  bool is_lua;
  int first, end; // those that are looked at: [first, end)
  int count;
  struct token *list;
};

// Those of a text. Comments are left out, and the preprocessor's lines of CUDA C.
void tokens_read(const char *text, bool is_lua, struct tokens *out);
void tokens_free(struct tokens *t);

// Is token `i` there, and `word`?
bool token_is(const struct tokens *t, int i, const char *word);
// Is it one of these, which are between spaces: " if while for "?
bool token_is_any(const struct tokens *t, int i, const char *words);
// Does a statement begin with token `i`?
bool token_begins_statement(const struct tokens *t, int i);
// Of Lua: does a value end with it?
bool token_ends_value(const struct tokens *t, int i);
// The bytes from the beginning of token `first` to the end of `last`.
size_t token_span(const struct tokens *t, int first, int last);

// The same as one line of at most 40 bytes; to be freed.
char *token_show(const struct tokens *t, int first, int last);
// Any text as such a line.
char *token_flatten(const char *text, size_t bytes);

#endif
