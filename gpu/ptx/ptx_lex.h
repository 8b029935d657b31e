// SPDX-License-Identifier: Apache-2.0
// Text to tokens.
#ifndef GPU_PTX_PTX_LEX_H
#define GPU_PTX_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
  TOKEN_END,
  TOKEN_WORD,   // identifiers, directives (".entry"), "ld.param.u64", "%r1"
  TOKEN_INT,    // bits
  TOKEN_FLOAT,  // bits of a double, or of a float when `is_single`
  TOKEN_STRING, // without its quotes
  TOKEN_MARK,   // one character
};

struct token {
  enum token_kind kind;
  char mark;
  bool is_single;
  bool is_unsigned; // 7U
  const char *text;
  size_t bytes;
  uint64_t bits;
  int line;
};

struct lexer {
  const char *at, *end;
  int line;
};

void lex_next(struct lexer *x, struct token *out);

#endif
