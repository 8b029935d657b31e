// SPDX-License-Identifier: Apache-2.0
#include "cluster/script/script.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"

static const char magic[] = "#SBATCH";

enum argument { NONE, NEEDED, MAYBE };
// --gres is a list of which GPUs are one thing.
enum { SCRIPT_NOTHING = SCRIPT_WISHES, SCRIPT_GRES };

static const struct row {
  const char *name;
  char letter; // 0: it has none
  enum argument argument;
  int wish;
} rows[] = {
#define OPTION(name, letter, argument, wish)                                   \
  {name, letter, argument, SCRIPT_##wish},
#include "cluster/script/sbatch.def"
#undef OPTION
};
enum { ROWS = sizeof rows / sizeof *rows };

// What is being read.
struct reading {
  struct script *out;
  const char **code;
  struct err_info *e;
  int line;
  bool is_late; // below the first command
};

static enum err refuse(struct reading *r, const char *code, const char *fmt,
                       ...) __attribute__((format(printf, 3, 4)));
static enum err refuse(struct reading *r, const char *code, const char *fmt,
                       ...) {
  char text[600];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  *r->code = code;
  return err_set_at(r->e, ERR_ARGUMENT, NULL, r->line, 0, "%s", text);
}

// ---- Words ----

// The next word of a line, quotes taken off; a hash sign that begins one ends the
// line. NULL: there is none left. To be freed.
static char *next_word(const char **at, bool *is_open) {
  *at += strspn(*at, " \t\r");
  if (!**at || **at == '#')
    return NULL;
  struct str s = STR_INIT;
  char quote = 0;
  for (; **at && (quote || !isspace((unsigned char)**at)); ++*at) {
    if (quote ? **at == quote : strchr("\"'", **at) != NULL)
      quote = quote ? 0 : **at;
    else if (**at == '\\' && quote != '\'' && (*at)[1])
      str_add_char(&s, *++*at);
    else
      str_add_char(&s, **at);
  }
  *is_open |= quote != 0;
  return str_take(&s);
}

struct words {
  int count;
  char **list;
  bool is_open; // a quote is not closed
};

static struct words split(const char *line) {
  struct words w = {0, xcalloc(strlen(line) / 2 + 2, sizeof(char *)), false};
  for (char *word; (word = next_word(&line, &w.is_open));)
    w.list[w.count++] = word;
  return w;
}

static void free_words(struct words *w) {
  for (int i = 0; i < w->count; i++)
    free(w->list[i]);
  free(w->list);
}

// ---- Options ----

static void keep(struct reading *r, const struct row *row, const char *written,
                 const char *value, int64_t number) {
  struct script *s = r->out;
  struct script_option **list = r->is_late ? &s->late : &s->options;
  int *count = r->is_late ? &s->late_count : &s->option_count;
  *list = xrealloc(*list, ((size_t)*count + 1) * sizeof **list);
  int wish = row->wish == SCRIPT_GRES ? SCRIPT_GPUS : row->wish;
  (*list)[(*count)++] = (struct script_option){
      r->line, xstrdup(written),
      wish >= SCRIPT_WISHES ? SCRIPT_WISHES : (enum script_wish)wish,
      xstrdup(value), number};
}

// "gpu", "gpu:2", "gpu:a100:2" of a list "gpu:2,shard:1": how many; -1: none of
// them is a GPU.
static bool read_gres(const char *text, int64_t *out) {
  *out = -1;
  for (const char *at = text; *at; at += *at == ',') {
    size_t n = strcspn(at, ",");
    char *one = xstrndup(at, n);
    char *colon = strrchr(one, ':');
    bool is_gpu = !strcmp(one, "gpu") || str_starts(one, "gpu:");
    int64_t count = 1;
    bool is_number = colon && isdigit((unsigned char)colon[1]);
    bool is_right =
        *one &&
        (!is_number || script_read_value(SCRIPT_COUNT, colon + 1, &count));
    free(one);
    if (!is_right)
      return false;
    if (is_gpu)
      *out = (*out < 0 ? 0 : *out) + count;
    at += n;
  }
  return *text;
}

// "2" and "a100:2".
static bool read_gpus(const char *text, int64_t *out) {
  const char *colon = strrchr(text, ':');
  return script_read_value(SCRIPT_COUNT, colon ? colon + 1 : text, out);
}

static enum err take_option(struct reading *r, const struct row *row,
                            const char *written, const char *value) {
  int64_t number = 0;
  bool is_right = true;
  if (row->wish == SCRIPT_GRES) {
    is_right = read_gres(value, &number);
    if (is_right && number < 0) // something else than GPUs
      return ERR_OK;
  } else if (row->wish == SCRIPT_GPUS) {
    is_right = read_gpus(value, &number);
  } else if (row->wish < SCRIPT_WISHES) {
    is_right = script_read_value(script_wish_value((enum script_wish)row->wish),
                                 value, &number);
  }
  if (!is_right && !r->is_late)
    return refuse(r, "directive-value", "%s: sbatch takes no such value",
                  written);
  if (is_right)
    keep(r, row, written, value, number);
  return ERR_OK;
}

static enum err unknown(struct reading *r, const char *word) {
  char *name = xstrndup(word + strspn(word, "-"),
                        strcspn(word + strspn(word, "-"), "="));
  struct nearest near = nearest_to(name);
  char hint[NEAREST_HINT];
  for (int i = 0; i < ROWS; i++)
    nearest_try(&near, rows[i].name, strlen(rows[i].name));
  enum err err = refuse(r, "directive-unknown", "sbatch has no option %.80s%s",
                        word, nearest_hint(hint, &near, "--", "?"));
  free(name);
  return err;
}

// "--time=1:00:00", or its value in the next word. As getopt_long, a name may be
// cut short where one alone begins so.
static const struct row *find_long(const char *name, size_t bytes) {
  const struct row *found = NULL;
  int alike = 0;
  for (int i = 0; i < ROWS; i++) {
    if (strncmp(rows[i].name, name, bytes))
      continue;
    if (strlen(rows[i].name) == bytes)
      return &rows[i];
    found = &rows[i];
    alike++;
  }
  return alike == 1 ? found : NULL;
}

static const struct row *find_short(char letter) {
  for (int i = 0; i < ROWS; i++)
    if (letter && rows[i].letter == letter)
      return &rows[i];
  return NULL;
}

// The option at words[*i], with its value, which may be the next word.
static enum err take_word(struct reading *r, const struct words *w, int *i) {
  const char *word = w->list[*i], *value = NULL;
  bool is_long = str_starts(word, "--");
  const struct row *row = NULL;
  if (is_long && word[2]) {
    size_t bytes = strcspn(word + 2, "=");
    row = find_long(word + 2, bytes);
    value = word[2 + bytes] ? word + 3 + bytes : NULL;
  } else if (word[0] == '-' && word[1] != '-') {
    row = find_short(word[1]);
    value = word[1] && word[2] ? word + 2 : NULL;
  } else {
    return r->is_late ? ERR_OK
                      : refuse(r, "directive-value",
                               "\"%.80s\" is no option: a #SBATCH line has "
                               "options alone",
                               word);
  }
  if (!row)
    return r->is_late ? ERR_OK : unknown(r, word);
  bool is_apart = row->argument == NEEDED && !value && *i + 1 < w->count;
  if (is_apart)
    value = w->list[++*i];
  if (row->argument == NEEDED && !value)
    return r->is_late ? ERR_OK
                      : refuse(r, "directive-value", "%s needs a value", word);
  if (row->argument == NONE && value && is_long)
    return r->is_late
               ? ERR_OK
               : refuse(r, "directive-value", "--%s takes no value", row->name);
  char *written = is_apart ? xasprintf("%s %s", word, value) : xstrdup(word);
  enum err err = take_option(r, row, written, value ? value : "");
  free(written);
  return err;
}

static enum err take_directive(struct reading *r, const char *line) {
  struct words w = split(line);
  enum err err = w.is_open && !r->is_late
                     ? refuse(r, "directive-value", "a quote is not closed")
                     : ERR_OK;
  for (int i = 0; !err && i < w.count; i++)
    err = take_word(r, &w, &i);
  free_words(&w);
  return err;
}

// ---- Lines ----

// "# SBATCH", "#sbatch", " #SBATCH": remarks to sbatch as well.
static bool is_near(const char *line) {
  const char *at = line + strspn(line, " \t");
  if (*at != '#')
    return false;
  at += strspn(at, "# \t");
  return !strncasecmp(at, magic + 1, sizeof magic - 2) &&
         (!at[sizeof magic - 2] || strchr(" \t-", at[sizeof magic - 2]));
}

static void add_near(struct script *s, int line) {
  s->near = xrealloc(s->near, ((size_t)s->near_count + 1) * sizeof *s->near);
  s->near[s->near_count++] = line;
}

static void add_command(struct reading *r, struct words *w) {
  struct script *s = r->out;
  s->commands = xrealloc(s->commands,
                         ((size_t)s->command_count + 1) * sizeof *s->commands);
  s->commands[s->command_count++] =
      (struct script_command){r->line, w->count, w->list};
}

static enum err take_line(struct reading *r, const char *line) {
  const char *inner = line + strspn(line, " \t\r");
  if (str_starts(line, magic) && r->line > 1)
    return take_directive(r, line + sizeof magic - 1);
  if (is_near(line)) {
    add_near(r->out, r->line);
    return ERR_OK;
  }
  if (!*inner || *inner == '#')
    return ERR_OK;
  struct words w = split(line);
  add_command(r, &w);
  r->is_late = true;
  return ERR_OK;
}

// What sbatch asks of the text as a whole.
static enum err check_whole(struct reading *r, const char *text) {
  r->line = 1;
  if (!text[strspn(text, " \t\r\n")])
    return refuse(r, "script-empty", "the script is empty");
  if (!str_starts(text, "#!"))
    return refuse(r, "no-interpreter",
                  "the first line must begin with #! and the path of a shell: "
                  "#!/bin/bash");
  for (const char *at = text; (at = strchr(at, '\r')); at++)
    if (at[1] == '\n')
      return refuse(r, "dos-lines",
                    "the lines end as on Windows, with \\r\\n, which sbatch "
                    "refuses: save it with Unix line ends, or dos2unix FILE");
  return ERR_OK;
}

enum err script_read(const char *text, struct script *out, const char **code,
                     struct err_info *e) {
  struct reading r = {out, code, e, 0, false};
  *out = (struct script){0};
  *code = NULL;
  enum err err = check_whole(&r, text);
  int line = 0;
  struct str whole = STR_INIT; // a line and those that it goes on in
  for (const char *at = text; !err && *at; at += *at == '\n') {
    size_t n = strcspn(at, "\n");
    line++;
    if (!whole.len)
      r.line = line;
    bool is_remark = at[strspn(at, " \t")] == '#' && !whole.len;
    bool goes_on = n && at[n - 1] == '\\' && !is_remark;
    str_add_bytes(&whole, at, goes_on ? n - 1 : n);
    at += n;
    if (goes_on && *at)
      continue;
    err = take_line(&r, whole.data);
    str_clear(&whole);
  }
  str_free(&whole);
  return err;
}

// ---- Asking ----

char *script_wish_options(enum script_wish w) {
  struct str s = STR_INIT;
  for (int i = 0; i < ROWS; i++) {
    bool is_gres = rows[i].wish == SCRIPT_GRES && w == SCRIPT_GPUS;
    if (rows[i].wish != (int)w && !is_gres)
      continue;
    str_addf(&s, "%s--%s%s", s.len ? ", " : "", rows[i].name,
             is_gres ? "=gpu:N" : "");
    if (rows[i].letter)
      str_addf(&s, ", -%c", rows[i].letter);
  }
  return str_take(&s);
}

static const struct script_option *find_in(const struct script_option *list,
                                           int count, enum script_wish w) {
  for (int i = count - 1; i >= 0; i--)
    if (list[i].wish == w)
      return &list[i];
  return NULL;
}

const struct script_option *script_find(const struct script *s,
                                        enum script_wish w) {
  return find_in(s->options, s->option_count, w);
}

const struct script_option *script_find_late(const struct script *s,
                                             enum script_wish w) {
  return find_in(s->late, s->late_count, w);
}

static bool has_words(const struct script_command *c, const struct words *w) {
  for (int from = 0; from + w->count <= c->count; from++) {
    int k = 0;
    while (k < w->count && !strcmp(c->words[from + k], w->list[k]))
      k++;
    if (k == w->count)
      return true;
  }
  return false;
}

const struct script_command *script_find_command(const struct script *s,
                                                 const char *words) {
  struct words w = split(words);
  const struct script_command *found = NULL;
  for (int i = 0; !found && i < s->command_count; i++)
    if (has_words(&s->commands[i], &w))
      found = &s->commands[i];
  free_words(&w);
  return found;
}

void script_free(struct script *s) {
  for (int i = 0; i < s->option_count + s->late_count; i++) {
    struct script_option *o =
        i < s->option_count ? &s->options[i] : &s->late[i - s->option_count];
    free(o->written);
    free(o->text);
  }
  for (int i = 0; i < s->command_count; i++) {
    for (int k = 0; k < s->commands[i].count; k++)
      free(s->commands[i].words[k]);
    free(s->commands[i].words);
  }
  free(s->options);
  free(s->late);
  free(s->near);
  free(s->commands);
  *s = (struct script){0};
}
