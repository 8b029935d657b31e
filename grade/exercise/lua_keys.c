// SPDX-License-Identifier: Apache-2.0
// A source in tokens, of which names, texts and braces matter.
#include "grade/exercise/lua_keys.h"

#include <string.h>

#include "grade/input/input.h"

// Is token `i` the name, or a text that holds it and nothing else?
static bool names(const struct tokens *t, int i, const char *key) {
  const struct token *k = &t->list[i];
  const char *p = t->text + k->offset;
  size_t n = strlen(key), quotes = 0; // on each side
  if (k->kind == TOKEN_TEXT)
    quotes = *p == '[' ? 2 + strspn(p + 1, "=") : 1;
  return (k->kind == TOKEN_NAME || quotes) && k->bytes == n + 2 * quotes &&
         !memcmp(p + quotes, key, n);
}

// What the source says at a token: nothing of `key`, its name, or that a
// constructor's field is called so.
enum mention { MENTION_NONE, MENTION_USE, MENTION_KEY };

static enum mention mention_of(const struct tokens *t, int i, const char *key) {
  if (!names(t, i, key))
    return MENTION_NONE;
  bool is_text = t->list[i].kind == TOKEN_TEXT;
  if (is_text && !(token_is(t, i - 1, "[") && token_is(t, i + 1, "]")))
    return MENTION_USE;
  bool is_field = token_is_any(t, i - 1, " [ { , ; . ");
  return is_field && token_is(t, i + (is_text ? 2 : 1), "=") ? MENTION_KEY
                                                             : MENTION_USE;
}

// Within how many braces it stands.
static int depth_of(const struct tokens *t, int i) {
  int depth = 0;
  for (int open = t->list[i].outer; open >= 0; open = t->list[open].outer)
    depth += token_is(t, open, "{");
  return depth;
}

int lua_key_line(const char *source, const char *key, int depth) {
  struct tokens t;
  int there = 0, anywhere = 0;
  tokens_read(source, true, &t);
  for (int i = 0; i < t.count && !there; i++) {
    if (mention_of(&t, i, key) != MENTION_KEY)
      continue;
    if (depth_of(&t, i) == depth)
      there = t.list[i].line;
    anywhere = anywhere ? anywhere : t.list[i].line;
  }
  tokens_free(&t);
  return there ? there : anywhere;
}

bool lua_key_is_used(const char *source, const char *key) {
  struct tokens t;
  bool is_used = false;
  tokens_read(source, true, &t);
  for (int i = 0; i < t.count && !is_used; i++)
    is_used = mention_of(&t, i, key) == MENTION_USE;
  tokens_free(&t);
  return is_used;
}
