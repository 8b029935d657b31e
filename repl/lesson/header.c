// SPDX-License-Identifier: Apache-2.0
#include "repl/lesson/header.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "gpu/gpu.h"
#include "repl/lesson/vocabulary.h"

// ---- Text ----

struct span {
  const char *at;
  size_t n;
};

static struct span trimmed(const char *at, size_t n) {
  while (n && isspace((unsigned char)*at))
    at++, n--;
  while (n && isspace((unsigned char)at[n - 1]))
    n--;
  return (struct span){at, n};
}

static bool is_word(struct span s, const char *word) {
  return s.n == strlen(word) && !memcmp(s.at, word, s.n);
}

// Adds what stands between the separators.
static void list_add(struct lesson_list *list, struct span s, char separator) {
  while (s.n) {
    const char *end = memchr(s.at, separator, s.n);
    size_t n = end ? (size_t)(end - s.at) : s.n;
    struct span item = trimmed(s.at, n);
    if (item.n) {
      list->items = xrealloc(list->items,
                             (size_t)(list->count + 1) * sizeof *list->items);
      list->items[list->count++] = xstrndup(item.at, item.n);
    }
    n += end != NULL;
    s = (struct span){s.at + n, s.n - n};
  }
}

void list_free(struct lesson_list *list) {
  for (int i = 0; i < list->count; i++)
    free(list->items[i]);
  free(list->items);
  *list = (struct lesson_list){0};
}

// A word that the vocabulary lacks is misspelt, or belongs into it.
static enum err check_taught(const struct lesson *l,
                             const struct lesson_list *taught, int line,
                             struct err_info *e) {
  for (int i = 0; i < taught->count; i++) {
    const char *word = taught->items[i];
    if (!vocabulary_has(word))
      return err_set_at(
          e, ERR_ARGUMENT, l->path, line, 1,
          "teaches: \"%s\" is not in repl/lesson/vocabulary.def%s%s", word,
          vocabulary_nearest(word) ? "; near to it: " : "",
          vocabulary_nearest(word) ? vocabulary_nearest(word) : "");
  }
  return ERR_OK;
}

// ---- The header ----

struct header {
  struct lesson *l;
  struct err_info *e;
  enum err err;
  struct span key, value;
  int line; // of the key
  int seen; // one bit a key
};

static enum err complain(struct header *h, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static enum err complain(struct header *h, int line, const char *fmt, ...) {
  char text[300];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (!h->err)
    h->err = err_set_at(h->e, ERR_ARGUMENT, h->l->path, line, 1, "%s", text);
  return h->err;
}

static const char *const keys[] = {"title", "minutes", "goals",
                                   "needs", "teaches", "devices"};
enum {
  KEY_TITLE,
  KEY_MINUTES,
  KEY_GOALS,
  KEY_NEEDS,
  KEY_TEACHES,
  KEY_DEVICES,
  KEYS
};

static void complain_of_key(struct header *h) {
  char *word = xstrndup(h->key.at, h->key.n);
  struct nearest near = nearest_to(word);
  char hint[NEAREST_HINT];
  for (int i = 0; i < KEYS; i++)
    nearest_try(&near, keys[i], strlen(keys[i]));
  complain(h, h->line,
           "\"%.40s:\" is no line of a header%s; it has title:, minutes:, "
           "goals: (a; b), needs: (lessons before), teaches: (words), "
           "devices: (virtual GPUs)",
           word, nearest_hint(hint, &near, "", ":"));
  free(word);
}

// The field's value as a whole number from 1 to `most`; 0 where it is none.
static int take_number(struct header *h, int most) {
  char *word = xstrndup(h->value.at, h->value.n), *end;
  long number = strtol(word, &end, 10);
  bool is_number = end != word && !*end && number >= 1 && number <= most;
  free(word);
  return is_number ? (int)number : 0;
}

static void take_minutes(struct header *h) {
  h->l->minutes = take_number(h, 600);
  if (!h->l->minutes)
    complain(h, h->line, "minutes: is a whole number, such as 15");
}

static void take_devices(struct header *h) {
  h->l->devices = take_number(h, GPU_MAX_VIRTUAL);
  if (!h->l->devices)
    complain(h, h->line,
             "devices: says how many virtual GPUs the lesson needs, a whole "
             "number from 1 to %d",
             GPU_MAX_VIRTUAL);
}

static void take_value(struct header *h, int key) {
  struct lesson *l = h->l;
  switch (key) {
  case KEY_TITLE: l->title = xstrndup(h->value.at, h->value.n); break;
  case KEY_MINUTES:
    l->minutes_line = h->line;
    take_minutes(h);
    break;
  case KEY_GOALS: list_add(&l->goals, h->value, ';'); break;
  case KEY_NEEDS:
    l->needs_line = h->line;
    list_add(&l->needs, h->value, ',');
    break;
  case KEY_TEACHES:
    l->teaches_line = h->line;
    list_add(&l->teaches, h->value, ',');
    if (!h->err)
      h->err = check_taught(l, &l->teaches, h->line, h->e);
    break;
  case KEY_DEVICES: take_devices(h); break;
  default: complain_of_key(h);
  }
}

static void take_field(struct header *h) {
  int key = 0;
  if (!h->key.at)
    return;
  while (key < KEYS && !is_word(h->key, keys[key]))
    key++;
  if (key < KEYS && (h->seen & 1 << key))
    complain(h, h->line,
             "%s: is there twice; each line of a header is there "
             "once",
             keys[key]);
  else
    take_value(h, key);
  h->seen |= 1 << key;
  h->key = (struct span){0};
}

// A line led by blanks goes on the field above it.
static void take_line(struct header *h, const char *p, size_t n, int line) {
  if (n && isspace((unsigned char)*p) && h->key.at) {
    h->value.n = (size_t)(p + n - h->value.at);
    return;
  }
  take_field(h);
  const char *colon = memchr(p, ':', n);
  if (!colon) {
    if (trimmed(p, n).n)
      complain(h, line, "a line of the header is \"key: value\"");
    return;
  }
  h->line = line;
  h->key = trimmed(p, (size_t)(colon - p));
  h->value = trimmed(colon + 1, n - (size_t)(colon + 1 - p));
}

const char *header_read(struct lesson *l, const char *text, int *lines,
                        enum err *err, struct err_info *e) {
  struct header h = {.l = l, .e = e};
  const char *p = text;
  *lines = 0;
  l->minutes_line = l->needs_line = l->teaches_line = 1;
  if (str_starts(p, "---\n")) {
    int line = 2;
    for (p += 4; *p; line++) {
      size_t n = strcspn(p, "\n");
      const char *next = p + n + (p[n] == '\n');
      if (n == 3 && !strncmp(p, "---", 3)) {
        take_field(&h);
        if (!l->title)
          complain(&h, 1, "the header has no title:");
        *lines = line;
        *err = h.err;
        return next;
      }
      take_line(&h, p, n, line);
      p = next;
    }
    complain(&h, 1, "the header has no second line of ---");
  } else {
    complain(&h, 1,
             "a lesson begins with a header: ---, title:, minutes:, ---");
  }
  *err = h.err;
  return p;
}

// ---- Comments ----

// "instructor, 4 min": how many.
static bool read_minutes(struct span key, int *minutes) {
  const char word[] = "instructor, ";
  size_t n = sizeof word - 1;
  if (key.n <= n || memcmp(key.at, word, n))
    return false;
  char *end;
  long value = strtol(key.at + n, &end, 10);
  if (value <= 0 || value > 600 || strncmp(end, " min", 4) ||
      end + 4 != key.at + key.n)
    return false;
  *minutes = (int)value;
  return true;
}

enum err header_comment(const struct lesson *l, struct lesson_page *page,
                        const char *text, int line, struct err_info *e) {
  const char *open = strstr(text, "<!--"), *close = strstr(text, "-->");
  if (!open || !close || close < open + 4)
    return ERR_OK;
  struct span body = trimmed(open + 4, (size_t)(close - open - 4));
  const char *colon = body.n ? memchr(body.at, ':', body.n) : NULL;
  if (!colon)
    return ERR_OK;
  struct span key = trimmed(body.at, (size_t)(colon - body.at));
  struct span value =
      trimmed(colon + 1, body.n - (size_t)(colon + 1 - body.at));
  if (is_word(key, "teaches")) {
    list_add(&page->teaches, value, ',');
    return check_taught(l, &page->teaches, line, e);
  }
  if (read_minutes(key, &page->minutes)) {
    free(page->notes);
    page->notes = xstrndup(value.at, value.n);
    return ERR_OK;
  }
  return err_set_at(e, ERR_ARGUMENT, l->path, line, 1,
                    "\"%.*s:\" begins no comment that warpshop knows: it is "
                    "\"teaches: words\" or \"instructor, 4 min: text\", or has "
                    "no colon",
                    (int)(key.n < 40 ? key.n : 40), key.at);
}
