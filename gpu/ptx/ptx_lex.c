// SPDX-License-Identifier: Apache-2.0
// PTX text to tokens (PTX ISA, "Syntax"). Dotted words stay whole: ".entry",
// "ld.param.u64", "%tid.x".
#include "gpu/ptx/ptx_lex.h"

#include <stdlib.h>
#include <string.h>

static bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '%' || c == '.';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static int hex_value(char c) {
  if (is_digit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

static void skip_blank(struct lexer *x) {
  while (x->at < x->end) {
    char c = *x->at;
    if (c == '\n') {
      x->line++;
      x->at++;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      x->at++;
    } else if (c == '/' && x->at + 1 < x->end && x->at[1] == '/') {
      while (x->at < x->end && *x->at != '\n')
        x->at++;
    } else if (c == '/' && x->at + 1 < x->end && x->at[1] == '*') {
      for (x->at += 2; x->at < x->end; x->at++) {
        if (*x->at == '\n')
          x->line++;
        if (*x->at == '*' && x->at + 1 < x->end && x->at[1] == '/') {
          x->at += 2;
          break;
        }
      }
    } else {
      return;
    }
  }
}

// A directive ends at the next dot: ".reg.b16" is two words.
static void lex_word(struct lexer *x, struct token *out) {
  out->kind = TOKEN_WORD;
  while (x->at < x->end) {
    char c = *x->at;
    if (c == '.' && *out->text == '.' && x->at > out->text)
      break;
    if (is_word_start(c) || is_digit(c))
      x->at++;
    else if (c == ':' && x->at + 2 < x->end && x->at[1] == ':' &&
             (is_word_start(x->at[2]) || is_digit(x->at[2])))
      x->at += 2; // ".shared::cta", ".L2::128B"
    else
      break;
  }
  out->bytes = (size_t)(x->at - out->text);
}

static void lex_hex(struct lexer *x, struct token *out, int base_bits) {
  uint64_t bits = 0;
  for (; x->at < x->end; x->at++) {
    int v = hex_value(*x->at);
    if (v < 0 || v >= 1 << base_bits)
      break;
    bits = bits << base_bits | (uint64_t)v;
  }
  out->bits = bits;
}

// A decimal number, which may turn out to be a floating one.
static void lex_decimal(struct lexer *x, struct token *out) {
  const char *start = x->at;
  while (x->at < x->end && is_digit(*x->at))
    out->bits = out->bits * 10 + (uint64_t)(*x->at++ - '0');
  bool is_float = false;
  if (x->at < x->end && *x->at == '.') {
    is_float = true;
    for (x->at++; x->at < x->end && is_digit(*x->at);)
      x->at++;
  }
  if (x->at < x->end && (*x->at == 'e' || *x->at == 'E')) {
    is_float = true;
    x->at++;
    if (x->at < x->end && (*x->at == '+' || *x->at == '-'))
      x->at++;
    while (x->at < x->end && is_digit(*x->at))
      x->at++;
  }
  if (!is_float)
    return;
  char text[64];
  size_t n = (size_t)(x->at - start);
  n = n < sizeof text - 1 ? n : sizeof text - 1;
  memcpy(text, start, n);
  text[n] = 0;
  double value = strtod(text, NULL);
  memcpy(&out->bits, &value, sizeof value);
  out->kind = TOKEN_FLOAT;
}

static void lex_number(struct lexer *x, struct token *out) {
  out->kind = TOKEN_INT;
  out->bits = 0;
  char second = x->end - x->at > 1 ? x->at[1] : 0;
  if (*x->at == '0' && (second == 'x' || second == 'X')) {
    x->at += 2;
    lex_hex(x, out, 4);
  } else if (*x->at == '0' && (second == 'b' || second == 'B')) {
    x->at += 2;
    lex_hex(x, out, 1);
  } else if (*x->at == '0' && (second == 'f' || second == 'F' ||
                               second == 'd' || second == 'D')) {
    x->at += 2;
    lex_hex(x, out, 4);
    out->kind = TOKEN_FLOAT;
    out->is_single = second == 'f' || second == 'F';
  } else if (*x->at == '0' && is_digit(second)) {
    lex_hex(x, out, 3);
  } else {
    lex_decimal(x, out);
  }
  if (out->kind == TOKEN_INT && x->at < x->end && *x->at == 'U') {
    out->is_unsigned = true;
    x->at++;
  }
  out->bytes = (size_t)(x->at - out->text);
}

void lex_next(struct lexer *x, struct token *out) {
  skip_blank(x);
  *out = (struct token){.text = x->at, .line = x->line};
  if (x->at >= x->end) {
    out->kind = TOKEN_END;
  } else if (is_word_start(*x->at) &&
             !(*x->at == '.' && x->end - x->at > 1 && is_digit(x->at[1]))) {
    lex_word(x, out);
  } else if (is_digit(*x->at) || *x->at == '.') {
    lex_number(x, out);
  } else if (*x->at == '"') {
    out->kind = TOKEN_STRING;
    out->text = ++x->at;
    while (x->at < x->end && *x->at != '"' && *x->at != '\n')
      x->at++;
    out->bytes = (size_t)(x->at - out->text);
    if (x->at < x->end && *x->at == '"')
      x->at++;
  } else {
    out->kind = TOKEN_MARK;
    out->mark = *x->at++;
    out->bytes = 1;
  }
}
