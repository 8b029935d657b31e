// SPDX-License-Identifier: Apache-2.0
#include "repl/lesson/vocabulary.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "gpu/nvrtc/source/lex.h"

static const struct {
  const char *word, *shows;
} words[] = {
#define WORD(word, shows) {word, shows},
#include "repl/lesson/vocabulary.def"
#undef WORD
};
enum { WORDS = sizeof words / sizeof *words };
_Static_assert(WORDS <= 128, "struct vocabulary has 128 bits");

// ---- Sets ----

static int find(const char *word) {
  for (int i = 0; i < WORDS; i++)
    if (!strcmp(words[i].word, word))
      return i;
  return -1;
}

bool vocabulary_has(const char *word) {
  return find(word) >= 0;
}

const char *vocabulary_nearest(const char *word) {
  struct nearest near = nearest_to(word);
  for (int i = 0; i < WORDS; i++)
    nearest_try(&near, words[i].word, strlen(words[i].word));
  return near.name;
}

static void set(struct vocabulary *v, int i) {
  v->bits[i / 64] |= UINT64_C(1) << i % 64;
}

static bool get(const struct vocabulary *v, int i) {
  return v->bits[i / 64] >> i % 64 & 1;
}

void vocabulary_add(struct vocabulary *v, const char *word) {
  int i = find(word);
  if (i >= 0)
    set(v, i);
}

void vocabulary_join(struct vocabulary *v, const struct vocabulary *more) {
  v->bits[0] |= more->bits[0];
  v->bits[1] |= more->bits[1];
}

const char *vocabulary_lacks(const struct vocabulary *used,
                             const struct vocabulary *taught, int *at) {
  while (*at < WORDS) {
    int i = (*at)++;
    if (get(used, i) && !get(taught, i))
      return words[i].word;
  }
  return NULL;
}

// ---- Sources ----

// A name with its parts: threadIdx.x, cooperative_groups::this_grid.
struct name {
  const char *at;
  size_t n;
};

static bool is_part(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// The length of what joins two parts, `.` or `::`, before a name; else 0.
static size_t joint(const char *p) {
  size_t n = *p == '.' ? 1 : p[0] == ':' && p[1] == ':' ? 2 : 0;
  return n && (isalpha((unsigned char)p[n]) || p[n] == '_') ? n : 0;
}

static bool next_name(const char **at, struct name *out) {
  const char *p = *at;
  while (*p && !is_part(*p))
    p++;
  out->at = p;
  while (is_part(*p) || joint(p))
    p += is_part(*p) ? 1 : joint(p);
  out->n = (size_t)(p - out->at);
  *at = p;
  return out->n > 0;
}

// Is the show some of the name's parts, in a row? With a star, their beginning.
static bool is_shown(struct name name, const char *show, size_t n) {
  bool is_open = n && show[n - 1] == '*';
  n -= is_open;
  for (size_t i = 0; n && i + n <= name.n; i++) {
    bool begins = i == 0 || !is_part(name.at[i - 1]);
    bool ends = is_open || i + n == name.n || !is_part(name.at[i + n]);
    if (begins && ends && !strncmp(name.at + i, show, n))
      return true;
  }
  return false;
}

static bool is_either_shown(struct name before, struct name name,
                            const char *show, size_t n) {
  const char *plus = memchr(show, '+', n);
  if (!plus)
    return is_shown(name, show, n);
  size_t first = (size_t)(plus - show);
  return is_shown(before, show, first) &&
         is_shown(name, plus + 1, n - first - 1);
}

static void add_shown(struct vocabulary *v, struct name before,
                      struct name name) {
  for (int i = 0; i < WORDS; i++) {
    for (const char *show = words[i].shows; *show;) {
      size_t n = strcspn(show, " ");
      if (is_either_shown(before, name, show, n))
        set(v, i);
      show += n + (show[n] == ' ');
    }
  }
}

struct vocabulary vocabulary_of(const char *source) {
  struct vocabulary v = {0};
  struct name name, before = {"", 0};
  char *code = xstrdup(source);
  lex_blank(code, false);
  for (const char *at = code; next_name(&at, &name); before = name)
    add_shown(&v, before, name);
  free(code);
  return v;
}
