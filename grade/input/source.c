// SPDX-License-Identifier: Apache-2.0
// Reading submissions; cutting starters and mutants.
#include "grade/input/input.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "base/str.h"
#include "gpu/nvrtc/source/lex.h"

// ---- Submissions ----

// Larger files than any submission are read so far, to name them by their hash.
enum { READ_BYTES = 64 << 20 };

// The hash is over what was handed in, the text is what the compiler gets.
void source_from_text(const char *name, const char *text, size_t bytes,
                      struct source *out, char **refused) {
  *refused = NULL;
  out->name = text_file_name(name);
  sha256_hex(text, bytes, out->sha256);
  const char *zero = memchr(text, 0, bytes);
  if (bytes > SOURCE_MAX_BYTES)
    *refused = xasprintf("the file has %zu bytes; a submission has at most %d",
                         bytes, SOURCE_MAX_BYTES);
  else if (zero)
    *refused =
        xasprintf("the file is not text: byte %td is zero", zero - text + 1);
  if (*refused)
    bytes = 0;
  size_t mark = strlen(SOURCE_MARK);
  out->had_mark = bytes >= mark && !memcmp(text, SOURCE_MARK, mark);
  size_t skip = out->had_mark ? mark : 0;
  out->text = xstrndup(text + skip, bytes - skip);
}

// "-", "/dev/stdin" and "/dev/fd/N" (what <(command) gives) are read to their
// end, whatever they are; -1: the path is none of them.
static int stream_of(const char *path) {
  static const char numbered[] = "/dev/fd/";
  if (!strcmp(path, "-") || !strcmp(path, "/dev/stdin"))
    return 0;
  if (!str_starts(path, numbered))
    return -1;
  const char *digits = path + sizeof numbered - 1;
  size_t n = strspn(digits, "0123456789");
  return n && n < 6 && !digits[n] ? atoi(digits) : -1;
}

static const char *shown_name(const char *path) {
  return stream_of(path) < 0 ? path : "stdin.cu";
}

char *source_show_name(const char *path) {
  return text_file_name(shown_name(path));
}

// Errors quote the file that they are about: a link must not make them quote,
// nor the judge accept, what is not the submitter's.
static enum err read_once(const char *path, char **data, size_t *bytes,
                          struct err_info *e) {
  int fd = stream_of(path);
  if (fd >= 0)
    return file_read_stream(fd, path, READ_BYTES, data, bytes, e);
  enum err err = open_named(path, &fd, e);
  if (err)
    return err;
  err = file_read_open(fd, path, READ_BYTES, data, bytes, e);
  close(fd);
  return err;
}

// Of a file that nobody reads to its end.
static void refuse_unread(const char *name, struct source *out,
                          char **refused) {
  out->name = text_file_name(name);
  out->text = xstrdup("");
  *refused = xasprintf("the file has more than %d MiB; a submission has at "
                       "most %d bytes",
                       READ_BYTES >> 20, SOURCE_MAX_BYTES);
}

// What came of reading `data`; `e` is the reader's.
static enum err take_read(struct err_info *e, const char *name, char *data,
                          size_t bytes, struct source *out, char **refused) {
  enum err err = e->code;
  memset(out, 0, sizeof *out);
  if (err == ERR_ARGUMENT) {
    refuse_unread(name, out, refused);
    e->code = ERR_OK; // what is refused was read as far as it is wanted
    return ERR_OK;
  }
  if (err)
    return err;
  source_from_text(name, data, bytes, out, refused);
  free(data);
  return ERR_OK;
}

enum err source_read(const char *path, struct source *out, char **refused,
                     struct err_info *e) {
  char *data = NULL;
  size_t bytes = 0;
  e->code = ERR_OK;
  read_once(path, &data, &bytes, e);
  return take_read(e, shown_name(path), data, bytes, out, refused);
}

enum err source_read_beneath(int folder, const char *path, struct source *out,
                             char **refused, struct err_info *e) {
  char *data = NULL;
  size_t bytes = 0;
  int fd;
  e->code = ERR_OK;
  if (!open_beneath(folder, path, &fd, e)) {
    file_read_open(fd, path, READ_BYTES, &data, &bytes, e);
    close(fd);
  }
  return take_read(e, path, data, bytes, out, refused);
}

void source_free(struct source *s) {
  free(s->name);
  free(s->text);
  memset(s, 0, sizeof *s);
}

const char *source_kind(const char *file) {
  static const char *const kinds[] = {".cu", ".lua", ".sh"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (str_ends(file, kinds[i]))
      return kinds[i];
  return NULL;
}

const char *source_compile_name(const struct source *s) {
  for (const char *p = s->name; *p; p++)
    if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
      return "submission.cu";
  return s->name[0] && s->name[0] != '.' ? s->name : "submission.cu";
}

// ---- The time of compiling ----

static const char *const clocks[] = {"__DATE__", "__TIME__", "__TIMESTAMP__"};
enum { CLOCKS = sizeof clocks / sizeof *clocks, CLOCK_BYTES = 13 };

// Of one name: which of its parts, from byte i to byte j, are words of the code,
// and in which line (0: not there).
struct parts {
  int line[CLOCK_BYTES + 1][CLOCK_BYTES + 1];
};

static void note_part(struct parts *p, const char *name, const char *word,
                      size_t n, int line) {
  for (const char *at = strstr(name, word); at; at = strstr(at + 1, word))
    if (!p->line[at - name][at - name + (long)n])
      p->line[at - name][at - name + (long)n] = line;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// The next word, with line splices taken out; it is cut to `room`.
static bool next_word(const char **at, int *line, char *word, size_t room) {
  const char *p = *at;
  size_t n = 0;
  for (; *p && !is_word(*p); p++)
    *line += *p == '\n';
  for (;;) {
    size_t splice = p[0] != '\\'                   ? 0
                    : p[1] == '\n'                 ? 2
                    : p[1] == '\r' && p[2] == '\n' ? 3
                                                   : 0;
    if (!splice && !is_word(*p))
      break;
    if (!splice && n + 1 < room)
      word[n++] = *p;
    *line += splice > 0;
    p += splice ? splice : 1;
  }
  word[n] = 0;
  *at = p;
  return n > 0;
}

// Is the name there, or can its parts be put together? The line of the first of
// them, or 0.
static int line_of_whole(const struct parts *p, size_t bytes, bool can_paste) {
  if (p->line[0][bytes] || !can_paste)
    return p->line[0][bytes];
  int from[CLOCK_BYTES + 1] = {0}; // line of the first part that leads there
  for (size_t j = 1; j <= bytes; j++)
    for (size_t i = 0; i < j && !from[j]; i++)
      if (p->line[i][j])
        from[j] = i ? from[i] : p->line[i][j];
  return from[bytes];
}

const char *source_find_clock(const char *text, int *line) {
  struct parts parts[CLOCKS] = {0};
  char *code = xstrdup(text), word[CLOCK_BYTES + 2];
  int at_line = 1;
  lex_blank(code, false);
  bool can_paste = strstr(code, "##") || strstr(code, "%:%:");
  for (const char *at = code; next_word(&at, &at_line, word, sizeof word);)
    for (int k = 0; k < CLOCKS; k++)
      note_part(&parts[k], clocks[k], word, strlen(word), at_line);
  free(code);
  for (int k = 0; k < CLOCKS; k++)
    if ((*line = line_of_whole(&parts[k], strlen(clocks[k]), can_paste)))
      return clocks[k];
  return NULL;
}

// ---- Markers ----

// Each behind the comment sign of the language.
static const char begin_marker[] = " BEGIN SOLUTION";
static const char end_marker[] = " END SOLUTION";
static const char starter_marker[] = " STARTER:";

struct line {
  const char *text;  // where it starts
  size_t bytes;      // with its newline
  const char *inner; // past its indentation
};

static bool next_line(const char **at, struct line *out) {
  if (!**at)
    return false;
  const char *newline = strchr(*at, '\n');
  out->text = *at;
  out->bytes = newline ? (size_t)(newline - *at) + 1 : strlen(*at);
  out->inner = *at + strspn(*at, " \t");
  *at += out->bytes;
  return true;
}

static bool is_marker(const struct line *l, const char *comment,
                      const char *marker) {
  return str_starts(l->inner, comment) &&
         str_starts(l->inner + strlen(comment), marker);
}

enum err source_find_solution(const char *text, const char *comment,
                              const char **start, const char **end,
                              struct err_info *e) {
  struct line l;
  *start = *end = NULL;
  for (const char *at = text; next_line(&at, &l);) {
    if (is_marker(&l, comment, begin_marker) && !*start)
      *start = at;
    else if (is_marker(&l, comment, end_marker) && *start && !*end)
      *end = l.text;
    else if (is_marker(&l, comment, begin_marker) ||
             is_marker(&l, comment, end_marker))
      return err_set(e, ERR_ARGUMENT,
                     "the solution: \"%.*s\" is there twice or out of order",
                     (int)strcspn(l.inner, "\r\n"), l.inner);
  }
  if (!*end)
    return err_set(e, ERR_ARGUMENT, "the solution: no line \"%s%s\"", comment,
                   *start ? end_marker : begin_marker);
  return ERR_OK;
}

// Copies a "// STARTER: text" line as "text", with the line's indentation.
static void add_starter_line(struct str *s, const struct line *l,
                             size_t comment_bytes) {
  const char *text = l->inner + comment_bytes + sizeof starter_marker - 1;
  str_add_bytes(s, l->text, (size_t)(l->inner - l->text));
  text += *text == ' ';
  str_add_bytes(s, text, l->bytes - (size_t)(text - l->text));
}

static enum err cut(const char *solution, const char *comment, bool starter,
                    char **out, struct err_info *e) {
  const char *start, *end;
  enum err err = source_find_solution(solution, comment, &start, &end, e);
  if (err)
    return err;
  struct str s = STR_INIT;
  struct line l;
  for (const char *at = solution; next_line(&at, &l);) {
    if (is_marker(&l, comment, begin_marker) ||
        is_marker(&l, comment, end_marker) ||
        (starter && l.text >= start && l.text < end))
      continue;
    if (!is_marker(&l, comment, starter_marker))
      str_add_bytes(&s, l.text, l.bytes);
    else if (starter)
      add_starter_line(&s, &l, strlen(comment));
  }
  *out = str_take(&s);
  return ERR_OK;
}

enum err source_cut_starter(const char *solution, const char *comment,
                            char **out, struct err_info *e) {
  return cut(solution, comment, true, out, e);
}

enum err source_cut_solution(const char *solution, const char *comment,
                             char **out, struct err_info *e) {
  return cut(solution, comment, false, out, e);
}

// ---- Mutants ----

enum err source_mutate(const char *solution, const char *comment,
                       const char *from, const char *to, char **out,
                       struct err_info *e) {
  const char *start, *end;
  enum err err = source_find_solution(solution, comment, &start, &end, e);
  if (err)
    return err;
  const char *hit = *from ? strstr(start, from) : NULL;
  if (!hit || hit + strlen(from) > end)
    return err_set(e, ERR_ARGUMENT,
                   "\"%s\" is not between the solution's markers", from);
  const char *again = strstr(hit + 1, from);
  if (again && again < end)
    return err_set(e, ERR_ARGUMENT,
                   "\"%s\" is twice between the solution's markers: which one "
                   "is meant?",
                   from);
  struct str s = STR_INIT;
  str_add_bytes(&s, solution, (size_t)(hit - solution));
  str_add(&s, to);
  str_add(&s, hit + strlen(from));
  err = source_cut_solution(s.data, comment, out, e);
  str_free(&s);
  return err;
}
