// SPDX-License-Identifier: Apache-2.0
#include "repl/lesson/header.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "grade/vocabulary.h"

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
      return err_set_at(e, ERR_ARGUMENT, l->path, line, 1,
                        "teaches: \"%s\" is not in grade/vocabulary.def%s%s",
                        word, vocabulary_nearest(word) ? "; near to it: " : "",
                        vocabulary_nearest(word) ? vocabulary_nearest(word)
                                                 : "");
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
};

static enum err complain(struct header *h, int line, const char *text) {
  if (!h->err)
    h->err = err_set_at(h->e, ERR_ARGUMENT, h->l->path, line, 1, "%s", text);
  return h->err;
}

static void take_field(struct header *h) {
  struct lesson *l = h->l;
  if (!h->key.at)
    return;
  if (is_word(h->key, "title") && !l->title)
    l->title = xstrndup(h->value.at, h->value.n);
  else if (is_word(h->key, "minutes"))
    l->minutes = atoi(h->value.at);
  else if (is_word(h->key, "goals"))
    list_add(&l->goals, h->value, ';');
  else if (is_word(h->key, "needs"))
    list_add(&l->needs, h->value, ',');
  else if (is_word(h->key, "teaches")) {
    list_add(&l->teaches, h->value, ',');
    if (!h->err)
      h->err = check_taught(l, &l->teaches, h->line, h->e);
  } else {
    complain(h, h->line,
             "the header has the lines title:, minutes:, goals: (a; b), needs: "
             "(lessons before), teaches: (words), each once");
  }
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
                    "a comment is \"teaches: words\" or \"instructor, 4 min: "
                    "text\", or has no colon");
}
