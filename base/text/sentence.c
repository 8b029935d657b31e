// SPDX-License-Identifier: Apache-2.0
// Sentences that were put together in English, in the reader's language.
//
// Theory of operation: what a device found is told by many small pieces, which another
// language would order otherwise, and JSON, reports and records want it in English.
// So it is made in English, and a person is shown a translation of whole sentences. A
// row of the catalogue is a pattern: "The index {i} is {#n} in this thread: {=e}" has
// {i}, a piece of code; {#n}, a whole number; {*c}, whatever it is; {=e}, a text that has a
// row itself; {,l}, several of those with commas between; "{{" is a brace. A text is
// translated where rows fit all of it, and otherwise stays as it is. Of several ways the
// first is taken, and rows with more words of their own come first. What has led an error
// ("matmul: ", "TypeError: ") stays where the rest has a row.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/catalogue.h"
#include "base/text/text.h"

enum { MOST_PARTS = 12, MOST_STEPS = 1000000, MOST_DEPTH = 6 };

struct part {
  const char *name; // in the pattern, up to "}"
  const char *text; // in the sentence
  size_t bytes;
};

struct match {
  struct part parts[MOST_PARTS];
  int count;
  const char *end; // of the text
  bool is_whole;   // the pattern fits all of the text, not a sentence of it
  struct str rest; // what stands behind the sentence, translated
  int *steps;      // left, of all that is tried
  int depth;
};

static bool translate(const char *text, const char *end, bool is_whole,
                      int *steps, int depth, struct str *out);

static bool fit(struct match *m, const char *pattern, const char *text);

// Does the text hold the pattern's words? Most rows are out of the question by this.
static bool has_words(const char *pattern, const char *text, const char *end) {
  for (const char *p = pattern; *p;) {
    size_t n = strcspn(p, "{");
    if (n && !memmem(text, (size_t)(end - text), p, n))
      return false;
    p += n;
    if (p[0] == '{' && p[1] == '{')
      p += 2;
    else if (*p)
      p = strchr(p, '}') ? strchr(p, '}') + 1 : p + strlen(p);
  }
  return true;
}

// The pattern has ended: so must the sentence have.
static bool fit_end(struct match *m, const char *text) {
  if (text == m->end)
    return true;
  if (m->is_whole || *text != ' ')
    return false;
  str_clear(&m->rest);
  return translate(text + 1, m->end, false, m->steps, m->depth, &m->rest);
}

static size_t number_bytes(const char *text, const char *end) {
  size_t n = text < end && *text == '-';
  while (text + n < end && isdigit((unsigned char)text[n]))
    n++;
  return n;
}

// Three words in a row are no code, nor is a word with a colon: a sentence that has no
// row is not taken for a name.
static bool is_prose(const char *p, size_t bytes) {
  int words = 0;
  for (size_t i = 1; i + 1 < bytes; i++)
    if (p[i] == ':' && p[i + 1] == ' ' && p[i - 1] != ' ')
      return true;
  for (size_t i = 0; i < bytes;) {
    size_t n = 0;
    while (i + n < bytes && isalpha((unsigned char)p[i + n]))
      n++;
    i += n + 1;
    bool is_word = n > 1 && (i > bytes || p[i - 1] == ' ');
    words = is_word ? words + 1 : 0;
    if (words == 3)
      return true;
  }
  return false;
}

// "{x}" at `pattern`: takes as little as fits with what follows.
static bool fit_part(struct match *m, const char *pattern, const char *text) {
  const char *behind = strchr(pattern, '}');
  if (!behind || m->count == MOST_PARTS)
    return false;
  struct part *p = &m->parts[m->count++];
  bool is_number = pattern[1] == '#';
  bool is_raw = !strchr("=,*", pattern[1]);
  size_t least = is_number ? number_bytes(text, m->end) : 1;
  size_t most = is_number ? least : (size_t)(m->end - text);
  *p = (struct part){pattern + 1, text, 0};
  for (size_t n = least; n && n <= most; n++) {
    p->bytes = n;
    if (is_raw && is_prose(text, n))
      break;
    if (fit(m, behind + 1, text + n))
      return true;
  }
  m->count--;
  return false;
}

static bool fit(struct match *m, const char *pattern, const char *text) {
  if (--*m->steps < 0)
    return false;
  while (*pattern && (*pattern != '{' || pattern[1] == '{')) {
    if (text == m->end || *pattern != *text++)
      return false;
    pattern += 1 + (*pattern == '{');
  }
  return *pattern ? fit_part(m, pattern, text) : fit_end(m, text);
}

static const struct part *find_part(const struct match *m, const char *name) {
  size_t n = strcspn(name, "}");
  for (int i = 0; i < m->count; i++)
    if (!strncmp(m->parts[i].name, name, n) && m->parts[i].name[n] == '}')
      return &m->parts[i];
  return NULL;
}

static bool fill_part(const struct match *m, char kind, const struct part *part,
                      struct str *out) {
  const char *p = part->text, *end = p + part->bytes;
  if (kind != '=' && kind != ',') {
    str_add_bytes(out, p, part->bytes);
    return true;
  }
  while (kind == ',') { // all but the last
    const char *comma = memmem(p, (size_t)(end - p), ", ", 2);
    if (!comma)
      break;
    if (!translate(p, comma, true, m->steps, m->depth, out))
      return false;
    str_add(out, ", ");
    p = comma + 2;
  }
  return translate(p, end, true, m->steps, m->depth, out);
}

static bool fill(const struct match *m, const char *pattern, struct str *out) {
  for (const char *p = pattern; *p; p++) {
    if (*p != '{' || p[1] == '{') {
      str_add_char(out, *p);
      p += *p == '{';
      continue;
    }
    const struct part *part = find_part(m, p + 1);
    if (!part)
      return false;
    if (!fill_part(m, p[1], part, out))
      return false;
    p = strchr(p, '}');
  }
  return true;
}

static bool try_row(const struct catalogue_sentence *row, struct match *m,
                    const char *text, struct str *out) {
  size_t before = out->len;
  m->count = 0;
  str_clear(&m->rest);
  if (!has_words(row->english, text, m->end))
    return false;
  if (!fit(m, row->english, text))
    return false;
  if (!fill(m, row->other, out)) {
    if (out->len > before)
      out->data[out->len = before] = 0;
    return false;
  }
  if (m->rest.len)
    str_addf(out, " %s", m->rest.data);
  return true;
}

// Adds the text in the reader's language: sentences with a blank between two, or one
// row for all of it. False where no rows fit.
static bool translate(const char *text, const char *end, bool is_whole,
                      int *steps, int depth, struct str *out) {
  int count;
  const struct catalogue_sentence *rows = catalogue_sentences(&count);
  struct match m = {.end = end,
                    .is_whole = is_whole,
                    .rest = STR_INIT,
                    .steps = steps,
                    .depth = depth + 1};
  bool is_done = false;
  for (int i = 0; i < count && !is_done && depth < MOST_DEPTH; i++)
    is_done =
        (is_whole || !rows[i].is_part) && try_row(&rows[i], &m, text, out);
  str_free(&m.rest);
  return is_done;
}

// ---- Reports ----

// "add.cu:3:5  " is a place in a kernel, with two blanks; "run.lua:12: " one in Lua.
static size_t place_bytes(const char *p, const char *end, int blanks) {
  size_t n = strcspn(p, " \n");
  const char *colon = memchr(p, ':', n);
  return colon && p + n + blanks <= end && isdigit((unsigned char)colon[1]) &&
                 strspn(p + n, " ") == (size_t)blanks
             ? n + (size_t)blanks
             : 0;
}

static bool is_source(const char *line, const char *end) {
  const char *bar = line + strspn(line, " 0123456789");
  return bar + 1 < end && bar[0] == '|' && bar[1] == ' ';
}

// What is said beside a line of source, or behind the carets below it; NULL: nothing.
static const char *note_of(const char *line, const char *end) {
  const char *bar = line + strspn(line, " 0123456789");
  if (!is_source(line, end))
    return NULL;
  const char *marks = bar + 1 + strspn(bar + 1, " \t");
  if (marks < end && *marks == '^') {
    marks += strspn(marks, "^");
    return marks + strspn(marks, " ");
  }
  for (const char *p = end; --p > bar;)
    if (p[0] == ' ' && p[-1] == ' ')
      return str_starts(p + 1, "block (") || str_starts(p + 1, "thread (")
                 ? p + 1
                 : NULL;
  return NULL;
}

static const char *sentence_of(const char *line, const char *end,
                               struct str *before) {
  const char *note = note_of(line, end), *p = line + strspn(line, " ");
  if (note || is_source(line, end)) { // code stays as it is
    note = note ? note : end;
    str_add_bytes(before, line, (size_t)(note - line));
    return note;
  }
  str_add_bytes(before, line, (size_t)(p - line));
  if (str_starts(p, "also ")) {
    str_add(before, message("also "));
    p += strlen("also ");
  }
  size_t place = place_bytes(p, end, 1);
  place += place_bytes(p + place, end, 2);
  str_add_bytes(before, p, place);
  return p + place;
}

// Who says it: "matmul: ", "np.linalg.inv: ", "TypeError: ".
static size_t speaker_bytes(const char *p, const char *end) {
  size_t n = 0;
  while (p + n < end && (isalnum((unsigned char)p[n]) || strchr("_.", p[n])))
    n++;
  return n && p + n + 2 < end && p[n] == ':' && p[n + 1] == ' ' ? n + 2 : 0;
}

// A line that the catalogue has whole, or sentences.
static bool add_sentences(const char *from, const char *end, struct str *out) {
  int steps = MOST_STEPS;
  char *english = xstrndup(from, (size_t)(end - from));
  const char *other = message(english);
  bool is_whole = other != english;
  if (is_whole)
    str_add(out, other);
  free(english);
  return is_whole || translate(from, end, false, &steps, 0, out);
}

static void add_line(const char *line, size_t bytes, struct str *out) {
  struct str before = STR_INIT, said = STR_INIT;
  const char *end = line + bytes, *from = sentence_of(line, end, &before);
  bool is_done = false;
  for (size_t n = 1; from < end && n;) {
    if ((is_done = add_sentences(from, end, &said)))
      break;
    n = speaker_bytes(from, end);
    str_add_bytes(&before, from, n);
    from += n;
  }
  if (is_done)
    str_addf(out, "%s%s", before.data, said.data);
  else
    str_add_bytes(out, line, bytes);
  str_free(&before);
  str_free(&said);
}

void message_report(const char *text, struct str *out) {
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, "\n");
    add_line(p, n, out);
    str_add(out, p[n] ? "\n" : "");
    p += n + (p[n] == '\n');
  }
}
