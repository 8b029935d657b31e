// SPDX-License-Identifier: Apache-2.0
// Finds the row of nvrtc_words_*.def for a diagnostic, and drops the errors that
// only follow from one that is explained.
#include "gpu/nvrtc/words/nvrtc_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

// ---- Messages ----

static bool match(const char *pattern, const char *text, char **parts, int n) {
  for (; *pattern && *pattern != '*'; pattern++, text++) {
    pattern += *pattern == '\\';
    if (*pattern != *text)
      return false;
  }
  if (!*pattern)
    return !*text;
  for (const char *end = text;; end++) {
    if (match(pattern + 1, end, parts, n + 1)) {
      if (n < NVRTC_WORDS_PARTS)
        parts[n] = xstrndup(text, (size_t)(end - text));
      return true;
    }
    if (!*end)
      return false;
  }
}

static void forget(struct nvrtc_words *w) {
  for (int i = 0; i < NVRTC_WORDS_PARTS; i++)
    free(w->parts[i]);
  free(w->word);
  free(w->text);
  memset(w->parts, 0, sizeof w->parts);
  w->word = w->text = NULL;
  w->line = 0;
}

// "$1 takes $t": the parts of the message and what the condition found.
static char *expand(const struct nvrtc_words *w, const char *sentence) {
  struct str s = STR_INIT;
  for (const char *p = sentence; *p; p++) {
    const char *part = NULL;
    if (*p != '$') {
      str_add_char(&s, *p);
      continue;
    }
    p++;
    if (*p == 'n')
      str_addf(&s, "%d", w->line);
    else if (isdigit((unsigned char)*p))
      part = w->parts[*p - '1'];
    else
      part = *p == 'w' ? w->word : w->text;
    str_add(&s, part ? part : "");
  }
  return str_take(&s);
}

// ---- One diagnostic ----

static const struct nvrtc_words_row *
find_in(struct nvrtc_words *w, const struct nvrtc_words_table *table) {
  for (size_t i = 0; i < table->count; i++) {
    const struct nvrtc_words_row *row = &table->rows[i];
    bool fits = match(row->message, w->d->text, w->parts, 0);
    if (fits && (!row->is_sure || row->is_sure(w)))
      return row;
    forget(w);
  }
  return NULL;
}

static const struct nvrtc_words_row *find_row(struct nvrtc_words *w) {
  const struct nvrtc_words_row *row = find_in(w, &nvrtc_words_syntax);
  row = row ? row : find_in(w, &nvrtc_words_names);
  return row ? row : find_in(w, &nvrtc_words_types);
}

// A name that a macro made stands elsewhere.
static void check_name(struct nvrtc_words *w) {
  static const char lead[] = "identifier \"";
  if (!w->spot.at || !str_starts(w->d->text, lead))
    return;
  const char *name = w->d->text + sizeof lead - 1;
  size_t n = strcspn(name, "\"");
  if (nvrtc_word_bytes(w->spot.at) != n || strncmp(name, w->spot.at, n))
    w->spot.at = NULL;
}

static bool explain(struct nvrtc_words *w) {
  check_name(w);
  const struct nvrtc_words_row *row = find_row(w);
  if (!row)
    return false;
  w->d->hint = expand(w, row->sentence);
  if (row->text) {
    free(w->d->text);
    w->d->text = expand(w, row->text);
  }
  forget(w);
  return true;
}

// ---- What follows from an error ----

static bool same_file(const struct nvrtc_diagnostic *a,
                      const struct nvrtc_diagnostic *b) {
  return !strcmp(a->file, b->file);
}

// A variable is unused because the compiler skipped the line that uses it.
static bool is_use_of_variable(const struct nvrtc_diagnostic *d) {
  static const char *const ends[] = {"was declared but never referenced",
                                     "was set but never used",
                                     "is used before its value is set"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (d->severity == NVRTC_WARNING && str_ends(d->text, ends[i]))
      return true;
  return false;
}

static bool is_candidate_note(const struct nvrtc_diagnostic *d) {
  return d->severity == NVRTC_NOTE && !str_starts(d->text, "in ") &&
         !str_starts(d->text, "to match");
}

struct reading {
  struct nvrtc_diagnostic *d;
  int *lines; // where each stood, before its sentence moved it
  bool *is_explained;
  int count;
};

static bool is_syntax(const struct nvrtc_diagnostic *d) {
  return str_starts(d->text, "expected ");
}

// A text or a comment without end takes the brackets behind it along.
static bool is_swallowing(const struct nvrtc_diagnostic *d) {
  return str_starts(d->text, "missing closing quote") ||
         str_starts(d->text, "comment unclosed");
}

// Is diagnostic `i` there only because of `k`?
static bool follows_from(const struct reading *r, int i, int k) {
  const struct nvrtc_diagnostic *d = &r->d[i], *cause = &r->d[k];
  if (k == i || cause->severity != NVRTC_ERROR || !same_file(cause, d))
    return false;
  bool is_first = k < i, has_words = r->is_explained[i];
  if (r->is_explained[k] && r->lines[k] && r->lines[k] == r->lines[i])
    return is_first || !has_words;
  if (is_first && is_syntax(d) &&
      (is_swallowing(cause) ||
       (r->is_explained[k] && is_syntax(cause) && !has_words)))
    return true;
  return is_first && str_starts(d->text, "identifier \"") &&
         !strcmp(d->text, cause->text);
}

static bool follows_from_one(const struct reading *r, int i) {
  if (r->d[i].severity == NVRTC_NOTE)
    return false;
  if (i && str_starts(r->d[i].text, "Ptx assembly aborted"))
    return true;
  for (int k = 0; k < r->count; k++)
    if (follows_from(r, i, k))
      return true;
  return false;
}

static void free_one(struct nvrtc_diagnostic *d) {
  free(d->file);
  free(d->text);
  free(d->source);
  free(d->hint);
}

static int drop_what_follows(struct reading *r) {
  bool *drops = xcalloc((size_t)r->count + 1, sizeof *drops);
  bool has_error = false;
  for (int i = 0; i < r->count; i++)
    has_error |= r->d[i].severity == NVRTC_ERROR;
  for (int i = 0; i < r->count; i++) {
    bool behind = i && is_candidate_note(&r->d[i]) &&
                  (drops[i - 1] || (r->is_explained[i - 1] &&
                                    r->d[i - 1].severity == NVRTC_ERROR));
    drops[i] = behind || follows_from_one(r, i) ||
               (has_error && is_use_of_variable(&r->d[i]));
  }
  int kept = 0;
  for (int i = 0; i < r->count; i++) {
    if (drops[i])
      free_one(&r->d[i]);
    else
      r->d[kept++] = r->d[i];
  }
  free(drops);
  return kept;
}

int nvrtc_words_explain(struct nvrtc_diagnostic *d, int count, const char *file,
                        const char *source) {
  char *plain = nvrtc_plain(source);
  struct reading r = {.d = d, .count = count};
  r.lines = xcalloc((size_t)count + 1, sizeof *r.lines);
  r.is_explained = xcalloc((size_t)count + 1, sizeof *r.is_explained);
  for (int i = 0; i < count; i++)
    r.lines[i] = d[i].line;
  for (int i = 0; i < count; i++) {
    struct nvrtc_words w = {
        .d = &d[i], .all = d, .count = count, .source = source};
    w.spot.text = plain;
    if (!strcmp(d[i].file, file))
      nvrtc_spot_find(plain, d[i].line, d[i].column, &w.spot);
    if (!d[i].hint && d[i].severity != NVRTC_NOTE)
      r.is_explained[i] = explain(&w);
    else
      r.is_explained[i] = d[i].hint != NULL;
  }
  int kept = drop_what_follows(&r);
  free(r.lines);
  free(r.is_explained);
  free(plain);
  return kept;
}
