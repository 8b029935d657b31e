// SPDX-License-Identifier: Apache-2.0
// What is said, in the reader's language: language/de.po and its like, found beside
// the program and read when the language is chosen. The form of the files is GNU
// gettext's, which translators' tools know; its functions are not used, because the
// C library's say nothing where the system has no locale of that name, and a
// container seldom has one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text/catalogue.h"
#include "base/text/text.h"

enum { MOST_BYTES = 4 << 20, CODE_BYTES = 8, MOST_DIRECTIVES = 16 };

// What was read stays: whoever has a text of it may keep it.
struct language {
  char code[CODE_BYTES];
  struct map *messages; // by their English
  struct catalogue_sentence *sentences;
  int sentence_count;
  struct language *next; // read before it
};
static struct language *chosen,
    *known; // NULL: English, which needs no catalogue

// ---- Directives ----

// The types of a format's directives, in the order of the arguments: "%s" and "%1$s"
// are one. False for more than there is room for.
static bool read_directives(const char *p, char types[MOST_DIRECTIVES][8]) {
  memset(types, 0, MOST_DIRECTIVES * sizeof *types);
  for (int next = 0; (p = strchr(p, '%')); p++) {
    size_t digits = strspn(++p, "0123456789");
    int at = next;
    if (*p == '%')
      continue;
    if (digits && p[digits] == '$') {
      at = atoi(p) - 1;
      p += digits + 1;
    } else {
      next++;
    }
    size_t flags = strspn(p, "-+ #0123456789");
    size_t stars = 0;
    p += flags;
    if (*p == '.')
      p++, stars = *p == '*', p += strspn(p, "*0123456789");
    size_t n = strspn(p, "hlzjtL") + 1;
    if (at < 0 || at + 1 >= MOST_DIRECTIVES || n + stars >= sizeof *types)
      return false;
    memcpy(types[at], "*", stars);
    memcpy(types[at] + stars, p, n);
    next += (int)stars;
    p += n - 1;
  }
  return true;
}

static bool fits(const char *english, const char *other) {
  char a[MOST_DIRECTIVES][8], b[MOST_DIRECTIVES][8];
  return read_directives(english, a) && read_directives(other, b) &&
         !memcmp(a, b, sizeof a);
}

// ---- Reading ----

struct entry {
  struct str context, id, text;
  bool is_fuzzy;
};

static void forget(struct entry *e) {
  str_clear(&e->context);
  str_clear(&e->id);
  str_clear(&e->text);
  e->is_fuzzy = false;
}

// What is fuzzy, or has other directives, stays English.
static void take_entry(struct language *l, struct entry *e) {
  bool is_good = e->id.len && e->text.len && !e->is_fuzzy;
  bool is_part = !strcmp(e->context.data, "part");
  if (is_good && (is_part || !strcmp(e->context.data, "sentence"))) {
    size_t bytes = (size_t)(l->sentence_count + 1) * sizeof *l->sentences;
    l->sentences = xrealloc(l->sentences, bytes);
    l->sentences[l->sentence_count++] = (struct catalogue_sentence){
        xstrdup(e->id.data), xstrdup(e->text.data), is_part};
  } else if (is_good && fits(e->id.data, e->text.data)) {
    map_set(l->messages, e->id.data, e->id.len, xstrdup(e->text.data));
  }
  forget(e);
}

// Adds what stands between the quotes of a line.
static void add_quoted(struct str *out, const char *p, const char *end) {
  while (p < end && *p != '"')
    p++;
  for (p++; p < end && *p != '"'; p++) {
    char c = *p;
    if (c == '\\' && p + 1 < end) {
      c = *++p;
      c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
    str_add_char(out, c);
  }
}

// Without what stands in braces.
static int own_bytes(const char *pattern) {
  int n = 0;
  for (bool is_part = false; *pattern; pattern++) {
    is_part |= *pattern == '{';
    n += !is_part;
    is_part &= *pattern != '}';
  }
  return n;
}

static int loose_parts(const char *pattern) {
  int n = 0;
  while ((pattern = strstr(pattern, "{*")))
    pattern++, n++;
  return n;
}

// More words of its own first; of as many, the one whose parts may be less.
static int compare_sentences(const void *a, const void *b) {
  const struct catalogue_sentence *x = a, *y = b;
  int more = own_bytes(y->english) - own_bytes(x->english);
  return more ? more : loose_parts(x->english) - loose_parts(y->english);
}

static void read_catalogue(struct language *l, const char *text) {
  struct entry e = {STR_INIT, STR_INIT, STR_INIT, false};
  struct str *at = NULL;
  for (const char *p = text; *p; p += *p == '\n') {
    const char *line = p;
    p += strcspn(p, "\n");
    if (at == &e.text && *line != '"') { // the next entry begins
      take_entry(l, &e);
      at = NULL;
    }
    if (str_starts(line, "#,"))
      e.is_fuzzy |= memmem(line, (size_t)(p - line), "fuzzy", 5) != NULL;
    else if (str_starts(line, "msgctxt "))
      at = &e.context;
    else if (str_starts(line, "msgid "))
      at = &e.id;
    else if (str_starts(line, "msgstr "))
      at = &e.text;
    if (at && *line != '#')
      add_quoted(at, line, p);
  }
  take_entry(l, &e);
  if (l->sentence_count)
    qsort(l->sentences, (size_t)l->sentence_count, sizeof *l->sentences,
          compare_sentences);
  str_free(&e.context);
  str_free(&e.id);
  str_free(&e.text);
}

// ---- Choosing ----

// "de" of "de_DE.UTF-8"; "" of English.
static bool read_code(const char *name, char code[CODE_BYTES]) {
  size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz");
  bool is_code =
      n >= 2 && n < CODE_BYTES && (!name[n] || strchr("_.@-", name[n]));
  bool is_english = !strcmp(name, "C") || str_starts(name, "C.") ||
                    !strcmp(name, "POSIX") ||
                    (n == 2 && str_starts(name, "en"));
  snprintf(code, CODE_BYTES, "%.*s", is_english ? 0 : (int)n, name);
  return is_code || is_english;
}

static struct language *find_known(const char *code) {
  struct language *l = known;
  while (l && strcmp(l->code, code) != 0)
    l = l->next;
  return l;
}

static enum err load(const char *code, struct language **out,
                     struct err_info *e) {
  char *text, *relative = xasprintf("language/%s.po", code);
  char *path = file_own(relative);
  size_t bytes;
  free(relative);
  if (!path)
    return err_set(
        e, ERR_NOT_FOUND,
        "there is no catalogue for the language \"%s\": there are en "
        "and de",
        code);
  enum err err = file_read(path, MOST_BYTES, &text, &bytes, e);
  free(path);
  if (err)
    return err;
  struct language *l = xcalloc(1, sizeof *l);
  l->messages = map_new();
  memcpy(l->code, code, strlen(code));
  l->next = known;
  known = l;
  read_catalogue(l, text);
  free(text);
  *out = l;
  return ERR_OK;
}

enum err message_choose(const char *name, struct err_info *e) {
  char code[CODE_BYTES];
  struct language *l = NULL;
  enum err err = ERR_OK;
  if (!read_code(name, code))
    return err_set(e, ERR_NOT_FOUND,
                   "no language is called \"%.40s\": there are en and de",
                   name);
  if (*code && !(l = find_known(code)))
    err = load(code, &l, e);
  if (!err)
    chosen = l;
  return err;
}

// As the C library would: LANGUAGE has several, in the order in which they are liked.
void message_choose_wanted(void) {
  static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
  const char *list = getenv("LANGUAGE");
  while (list && *list) {
    size_t n = strcspn(list, ":");
    char *one = xstrndup(list, n);
    enum err err = message_choose(one, NULL);
    free(one);
    if (!err)
      return;
    list += n + (list[n] == ':');
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = getenv(names[i]);
    if (value && *value) {
      message_choose(value, NULL);
      return;
    }
  }
}

const char *message_language(void) {
  return chosen ? chosen->code : "en";
}

// ---- Looking up ----

const char *message(const char *english) {
  const char *found =
      chosen ? map_get(chosen->messages, english, strlen(english)) : NULL;
  return found ? found : english;
}

const char *message_of(long count, const char *one, const char *many) {
  return message(count == 1 ? one : many);
}

const struct catalogue_sentence *catalogue_sentences(int *count) {
  *count = chosen ? chosen->sentence_count : 0;
  return chosen ? chosen->sentences : NULL;
}
