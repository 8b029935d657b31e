// SPDX-License-Identifier: Apache-2.0
// Reads NVRTC's log. A diagnostic is a line "file(line): severity: text",
// continued by lines with 10 blanks or more, then (from CUDA 12 on) the source
// line and a caret, both behind two blanks; "detected during" introduces a
// list of instantiations. ptxas writes "ptxas error   : text".
#include "gpu/nvrtc/words/nvrtc_log.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/nvrtc/words/nvrtc_words.h"

// ---- Printable text ----

// The length of the UTF-8 sequence at `p`, or 0 where there is no valid one.
static size_t sequence(const unsigned char *p, size_t left, uint32_t *point) {
  size_t n = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if ((*p >= 0x80 && *p < 0xc2) || *p > 0xf4 || n > left)
    return 0;
  *point = n == 1 ? *p : *p & (0xff >> (n + 1));
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80)
      return 0;
    *point = *point << 6 | (p[i] & 0x3f);
  }
  bool is_surrogate = *point >= 0xd800 && *point < 0xe000;
  return *point < least[n] || *point > 0x10ffff || is_surrogate ? 0 : n;
}

static bool is_printable(uint32_t c) {
  bool is_control = (c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0);
  bool turns_text = (c >= 0x202a && c <= 0x202e) ||
                    (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f;
  bool is_break = c == 0x2028 || c == 0x2029;
  return !is_control && !turns_text && !is_break;
}

void nvrtc_add_printable(struct str *out, const char *text, size_t bytes) {
  const unsigned char *p = (const unsigned char *)text;
  while (bytes) {
    uint32_t c = 0;
    size_t n = sequence(p, bytes, &c);
    if (n && is_printable(c))
      str_add_bytes(out, p, n);
    else
      str_add_char(out, '?');
    n = n ? n : 1;
    p += n;
    bytes -= n;
  }
}

static char *printable(const char *text, size_t bytes) {
  struct str s = STR_INIT;
  nvrtc_add_printable(&s, text, bytes);
  return str_take(&s);
}

// Cuts a log to NVRTC_LOG_BYTES, keeping its head and its tail.
static void cut_middle(const char *log, size_t bytes, struct str *out) {
  static const char gap[] = "\n... (the middle of a long log is left out)\n";
  if (bytes <= NVRTC_LOG_BYTES) {
    str_add_bytes(out, log, bytes);
    return;
  }
  size_t part = (NVRTC_LOG_BYTES - sizeof gap) / 2;
  str_add_bytes(out, log, part);
  str_add(out, gap);
  str_add_bytes(out, log + bytes - part, part);
}

// ---- Lines ----

struct line {
  const char *text;
  size_t bytes;
};

static bool next_line(const char **p, const char *end, struct line *out) {
  if (*p >= end)
    return false;
  const char *stop = memchr(*p, '\n', (size_t)(end - *p));
  out->text = *p;
  out->bytes = (size_t)((stop ? stop : end) - *p);
  *p = stop ? stop + 1 : end;
  return true;
}

static size_t indent(struct line l) {
  size_t n = 0;
  while (n < l.bytes && l.text[n] == ' ')
    n++;
  return n;
}

static bool is_caret(struct line l) {
  size_t at = 0;
  while (at < l.bytes && isspace((unsigned char)l.text[at]))
    at++;
  return at + 1 == l.bytes && l.text[at] == '^';
}

// The n-th line of the source, from 1.
static bool source_line(const char *source, int n, struct line *out) {
  const char *p = source, *end = source + strlen(source);
  while (next_line(&p, end, out))
    if (--n == 0)
      return true;
  return false;
}

const char *nvrtc_numbered_part(const char *source, const char *file) {
  char *directive = xasprintf("#line 1 \"%s\"\n", file);
  const char *part = source;
  for (const char *p = source; (p = strstr(p, directive));)
    part = p += strlen(directive);
  free(directive);
  return part;
}

// ---- One diagnostic's head ----

static const struct {
  const char *word;
  enum nvrtc_severity severity;
} severities[] = {
    {"catastrophic error", NVRTC_ERROR},
    {"internal error", NVRTC_ERROR},
    {"error", NVRTC_ERROR},
    {"warning", NVRTC_WARNING},
    {"remark", NVRTC_NOTE},
    {"note", NVRTC_NOTE},
    {"Warning", NVRTC_WARNING}, // from behind the front end
    {"Error", NVRTC_ERROR},
};

// "error: text", "error #20-D: text": the text, or NULL when it is none.
static const char *after_severity(const char *p, const char *end,
                                  enum nvrtc_severity *out) {
  for (size_t i = 0; i < sizeof severities / sizeof *severities; i++) {
    size_t n = strlen(severities[i].word);
    if ((size_t)(end - p) <= n || strncmp(p, severities[i].word, n))
      continue;
    const char *q = p + n;
    if (*q == ' ' && q + 1 < end && q[1] == '#')
      while (q < end && *q != ':')
        q++;
    if (q >= end || *q != ':')
      continue;
    *out = severities[i].severity;
    q++;
    return q < end && *q == ' ' ? q + 1 : q;
  }
  return NULL;
}

// "name(12): error: text"; from behind the front end it is "warning: name(12):
// Warning: text".
static bool head_with_place(struct line l, struct nvrtc_diagnostic *d) {
  static const char twice[] = "warning: ";
  const char *end = l.text + l.bytes;
  if (l.bytes > sizeof twice && !strncmp(l.text, twice, sizeof twice - 1))
    l.text += sizeof twice - 1;
  for (const char *p = l.text; (p = memchr(p, '(', (size_t)(end - p))); p++) {
    char *stop;
    if (p + 1 >= end || !isdigit((unsigned char)p[1]))
      continue;
    long number = strtol(p + 1, &stop, 10);
    if (end - stop < 3 || strncmp(stop, "): ", 3))
      continue;
    const char *text = after_severity(stop + 3, end, &d->severity);
    if (!text)
      continue;
    d->file = printable(l.text, (size_t)(p - l.text));
    d->line = (int)number;
    d->text = printable(text, (size_t)(end - text));
    return true;
  }
  return false;
}

// "ptxas error   : text", "nvrtc: error: text", "error: text".
static bool head_without_place(struct line l, struct nvrtc_diagnostic *d) {
  const char *p = l.text, *end = l.text + l.bytes;
  if (l.bytes > 6 && !strncmp(p, "ptxas ", 6)) {
    const char *colon = strstr(p, ": ");
    if (!colon || colon >= end || !strncmp(p, "ptxas info", 10))
      return false;
    d->severity = strncmp(p, "ptxas warning", 13) ? NVRTC_ERROR : NVRTC_WARNING;
    p = colon + 2;
  } else {
    if (l.bytes > 7 && !strncmp(p, "nvrtc: ", 7))
      p += 7;
    p = after_severity(p, end, &d->severity);
    if (!p)
      return false;
  }
  d->text = printable(p, (size_t)(end - p));
  return true;
}

// ---- Headers ----

// The text between the first pair of quotes.
static char *quoted(const char *text) {
  const char *from = strchr(text, '"');
  const char *to = from ? strchr(from + 1, '"') : NULL;
  return to ? xstrndup(from + 1, (size_t)(to - from - 1)) : NULL;
}

// The caret goes to the header's name; the compiler's stands behind it.
static void explain_include(struct nvrtc_diagnostic *d) {
  char *name = quoted(d->text);
  free(d->text);
  d->text = xasprintf("cannot include \"%s\"", name ? name : "?");
  d->hint = xstrdup("only CUDA's own headers and the small C ones (<stdio.h>, "
                    "<math.h>, <stdint.h> ...) can be included; paste the "
                    "text of other files");
  size_t at = d->source ? strcspn(d->source, "\"<") : 0;
  if (d->source && d->source[at])
    d->column = (int)at + 1;
  free(name);
}

static bool is_unknown_name(const struct nvrtc_diagnostic *d) {
  return str_starts(d->text, "identifier \"") &&
         strstr(d->text, "is undefined");
}

// ---- The whole log ----

struct reader {
  const char *file, *source;
  struct nvrtc_diagnostic *d;
  int count;
};

static struct nvrtc_diagnostic *add(struct reader *r,
                                    struct nvrtc_diagnostic d) {
  r->d = xrealloc(r->d, (size_t)(r->count + 1) * sizeof d);
  if (!d.file)
    d.file = xstrdup(r->file);
  r->d[r->count] = d;
  return &r->d[r->count++];
}

// "At end of source: error: text": its place is behind the last line that is
// not blank.
static bool head_at_end(const struct reader *r, struct line l,
                        struct nvrtc_diagnostic *d) {
  static const char lead[] = "At end of source: ";
  size_t n = sizeof lead - 1;
  if (l.bytes <= n || strncmp(l.text, lead, n))
    return false;
  const char *text = after_severity(l.text + n, l.text + l.bytes, &d->severity);
  if (!text)
    return false;
  d->text = printable(text, (size_t)(l.text + l.bytes - text));
  const char *p = nvrtc_numbered_part(r->source, r->file), *end = p + strlen(p);
  struct line own;
  for (int line = 1; next_line(&p, end, &own); line++)
    if (indent(own) < own.bytes) {
      d->line = line;
      d->column = (int)own.bytes + 1;
    }
  return true;
}

static void append(char **text, const char *more, size_t bytes) {
  char *clean = printable(more, bytes);
  char *joined = xasprintf("%s %s", *text, clean);
  free(*text);
  free(clean);
  *text = joined;
}

// An instantiation: 'instantiation of "T g(T) [with T=float]" at line 2'.
static void add_context(struct reader *r, struct line l) {
  size_t blanks = indent(l);
  char *text = printable(l.text + blanks, l.bytes - blanks);
  char *at = strstr(text, " at line ");
  struct nvrtc_diagnostic d = {.severity = NVRTC_NOTE};
  if (at)
    d.line = atoi(at + 9);
  if (at && r->count && !strstr(at, " of "))
    d.file = xstrdup(r->d[r->count - 1].file);
  if (at)
    *at = 0;
  d.text = xasprintf("in %s", text);
  free(text);
  add(r, d);
}

// The source line that the log shows, or ours; the column from the caret.
static void take_source(struct reader *r, struct nvrtc_diagnostic *d,
                        struct line shown, struct line caret) {
  struct line own;
  size_t cut = shown.bytes < 2 ? shown.bytes : 2;
  if (caret.bytes > 2)
    d->column = (int)caret.bytes - 2;
  if (!strcmp(d->file, r->file) &&
      source_line(nvrtc_numbered_part(r->source, r->file), d->line, &own))
    d->source = printable(own.text, own.bytes);
  else if (shown.bytes)
    d->source = printable(shown.text + cut, shown.bytes - cut);
}

// Reads what belongs to the diagnostic at the end of the list.
static void read_body(struct reader *r, const char **p, const char *end) {
  int index = r->count - 1;
  bool has_source = false, in_context = false;
  struct line l, caret;
  const char *before = *p;
  for (; next_line(p, end, &l) && l.bytes && indent(l) >= 2; before = *p) {
    struct nvrtc_diagnostic *d = &r->d[index];
    const char *ahead = *p;
    bool is_source = !has_source && next_line(&ahead, end, &caret) &&
                     is_caret(caret) && indent(l) >= 2;
    size_t blanks = indent(l);
    if (is_source) {
      take_source(r, d, l, caret);
      *p = ahead;
      has_source = true;
    } else if (!strncmp(l.text + blanks, "detected during", 15)) {
      in_context = true;
      if (l.bytes > blanks + 17)
        add_context(r,
                    (struct line){l.text + blanks + 16, l.bytes - blanks - 16});
    } else if (in_context && r->count < NVRTC_MAX_DIAGNOSTICS) {
      add_context(r, l);
    } else if (!in_context && blanks >= 4) {
      append(&d->text, l.text + blanks, l.bytes - blanks);
    }
  }
  *p = before;
  if (!has_source)
    take_source(r, &r->d[index], (struct line){"", 0}, (struct line){"", 0});
  if (str_starts(r->d[index].text, "cannot open source file") ||
      str_starts(r->d[index].text, "could not open source file"))
    explain_include(&r->d[index]);
}

// An unknown name is the cause of the other errors in its line: it goes first.
static void lead_with_causes(struct nvrtc_diagnostic *d, int count) {
  for (int i = 1; i < count; i++)
    for (int k = i;
         k > 0 && is_unknown_name(&d[k]) && !is_unknown_name(&d[k - 1]) &&
         d[k].line && d[k].line == d[k - 1].line &&
         d[k - 1].severity == NVRTC_ERROR && !strcmp(d[k].file, d[k - 1].file);
         k--) {
      struct nvrtc_diagnostic swap = d[k];
      d[k] = d[k - 1];
      d[k - 1] = swap;
    }
}

int nvrtc_log_parse(const char *log, size_t bytes, const char *file,
                    const char *source, struct nvrtc_diagnostic **out) {
  struct str cut = STR_INIT;
  cut_middle(log, strnlen(log, bytes), &cut);
  struct reader r = {.file = file, .source = source};
  const char *p = cut.data, *end = cut.data + cut.len;
  struct line l;
  while (r.count < NVRTC_MAX_DIAGNOSTICS && next_line(&p, end, &l)) {
    struct nvrtc_diagnostic d = {0};
    if (head_with_place(l, &d) || head_at_end(&r, l, &d) ||
        head_without_place(l, &d)) {
      add(&r, d);
      read_body(&r, &p, end);
    }
  }
  str_free(&cut);
  lead_with_causes(r.d, r.count);
  *out = r.d;
  return nvrtc_words_explain(r.d, r.count, file,
                             nvrtc_numbered_part(source, file));
}

void nvrtc_diagnostics_free(struct nvrtc_diagnostic *d, int count) {
  for (int i = 0; i < count; i++) {
    free(d[i].file);
    free(d[i].text);
    free(d[i].source);
    free(d[i].hint);
  }
  free(d);
}

// ---- Showing ----

enum { MOST_SHOWN = 8 };

static const char *const severity_names[] = {[NVRTC_ERROR] = "error",
                                             [NVRTC_WARNING] = "warning",
                                             [NVRTC_NOTE] = "note"};

// The blanks before the caret; tabs stay tabs, and bytes inside a character
// take no room.
static void add_blanks(struct str *s, const char *source, int column) {
  for (int i = 0; i + 1 < column && source[i]; i++)
    if (((unsigned char)source[i] & 0xc0) != 0x80)
      str_add_char(s, source[i] == '\t' ? '\t' : ' ');
}

// Behind the caret where it fits into a line of 80 columns, else below.
static void add_hint(struct str *s, const struct nvrtc_diagnostic *d,
                     int width) {
  int room = 80 - (width + 5) - (d->column ? d->column + 1 : 0);
  if (d->column && (int)strlen(d->hint) > room)
    str_addf(s, "\n  %*s   ", width, "");
  else if (d->column)
    str_add_char(s, ' ');
  str_add(s, d->hint);
}

static void format_one(struct str *s, const struct nvrtc_diagnostic *d) {
  str_add(s, d->file);
  if (d->line)
    str_addf(s, ":%d", d->line);
  if (d->line && d->column)
    str_addf(s, ":%d", d->column);
  str_addf(s, "  %s: %s\n", severity_names[d->severity], d->text);
  if (!d->source) {
    if (d->hint)
      str_addf(s, "  %s\n", d->hint);
    return;
  }
  int width = snprintf(NULL, 0, "%d", d->line);
  str_addf(s, "  %d | %s\n", d->line, d->source);
  if (!d->column && !d->hint)
    return;
  str_addf(s, "  %*s | ", width, "");
  if (d->column) {
    add_blanks(s, d->source, d->column);
    str_add_char(s, '^');
  }
  if (d->hint)
    add_hint(s, d, width);
  str_add_char(s, '\n');
}

char *nvrtc_format(const struct nvrtc_diagnostic *d, int count) {
  struct str s = STR_INIT;
  int shown = count > MOST_SHOWN ? MOST_SHOWN : count;
  for (int i = 0; i < shown; i++)
    format_one(&s, &d[i]);
  if (shown < count)
    str_addf(&s, "... and %d more\n", count - shown);
  return str_take(&s);
}
