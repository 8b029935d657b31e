// SPDX-License-Identifier: Apache-2.0
// A course's indexes: what they list, and whether it is what is there.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "grade/course/course.h"

enum { MAX_FILE_BYTES = 1 << 20 };

// One line of an index, as it stands.
struct line {
  char *name; // without "#" and blanks
  bool is_comment;
};

static void take_line(struct line **lines, int *count, const char *p,
                      size_t n) {
  bool is_comment = n && *p == '#';
  while (n && (*p == '#' || isspace((unsigned char)*p)))
    p++, n--;
  while (n && isspace((unsigned char)p[n - 1]))
    n--;
  *lines = xrealloc(*lines, (size_t)(*count + 1) * sizeof **lines);
  (*lines)[(*count)++] = (struct line){xstrndup(p, n), is_comment};
}

static enum err read_index(const struct course *c, const char *part,
                           struct line **lines, int *count,
                           struct err_info *e) {
  char *path = xasprintf("%s/%s/index", c->folder, part), *text;
  size_t bytes;
  *lines = NULL;
  *count = 0;
  enum err err = file_read(path, MAX_FILE_BYTES, &text, &bytes, e);
  free(path);
  if (err)
    return err;
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, "\n");
    take_line(lines, count, p, n);
    p += n + (p[n] == '\n');
  }
  free(text);
  return ERR_OK;
}

static void free_lines(struct line *lines, int count) {
  for (int i = 0; i < count; i++)
    free(lines[i].name);
  free(lines);
}

// Does the course do without this part?
static bool has_no(const struct course *c, const char *part) {
  char *folder = xasprintf("%s/%s", c->folder, part);
  bool is_there = !access(folder, F_OK);
  free(folder);
  return !is_there && !strcmp(part, "exercises");
}

enum err course_index(const struct course *c, const char *part, char ***names,
                      int *count, struct err_info *e) {
  struct line *lines;
  int line_count;
  *names = NULL;
  *count = 0;
  if (has_no(c, part))
    return ERR_OK;
  enum err err = read_index(c, part, &lines, &line_count, e);
  for (int i = 0; !err && i < line_count; i++) {
    if (lines[i].is_comment || !*lines[i].name)
      continue;
    *names = xrealloc(*names, (size_t)(*count + 1) * sizeof **names);
    (*names)[(*count)++] = xstrdup(lines[i].name);
  }
  if (!err)
    free_lines(lines, line_count);
  return err;
}

// ---- Parts ----

// A comment that begins with a Roman numeral: its words are a part's title.
static const char *part_title(const struct line *line) {
  size_t n = strspn(line->name, "IVXLC");
  const char *title = line->name + n + strspn(line->name + n, " ");
  return line->is_comment && n && line->name[n] == ' ' ? title : NULL;
}

static void add_part(struct course_part **parts, int *count,
                     const struct line *line, int first) {
  const char *title = part_title(line);
  *parts = xrealloc(*parts, (size_t)(*count + 1) * sizeof **parts);
  (*parts)[(*count)++] = (struct course_part){
      .numeral = xstrndup(line->name, strspn(line->name, "IVXLC")),
      .title = xstrdup(title),
      .first = first,
  };
}

enum err course_parts(const struct course *c, struct course_part **out,
                      int *count, struct err_info *e) {
  struct line *lines;
  int line_count, lessons = 0;
  *out = NULL;
  *count = 0;
  enum err err = read_index(c, "lessons", &lines, &line_count, e);
  if (err)
    return err;
  for (int i = 0; i < line_count; i++) {
    if (part_title(&lines[i])) {
      add_part(out, count, &lines[i], lessons);
    } else if (!lines[i].is_comment && *lines[i].name) {
      lessons++;
      if (*count)
        (*out)[*count - 1].count++;
    }
  }
  free_lines(lines, line_count);
  return ERR_OK;
}

void course_parts_free(struct course_part *parts, int count) {
  for (int i = 0; i < count; i++) {
    free(parts[i].numeral);
    free(parts[i].title);
  }
  free(parts);
}

// ---- Right or wrong ----

struct checking {
  const struct course *c;
  const char *part;
  bool is_lessons;
  struct line *lines;
  int line_count;
  char **files; // in the folder
  int file_count;
  void (*say)(void *context, const char *text);
  void *context;
  int wrong;
};

// `line` 0: of the whole.
static void complain(struct checking *k, int line, char *take_text) {
  char place[16] = "";
  if (line)
    snprintf(place, sizeof place, ":%d", line);
  char *text =
      xasprintf("%s/%s/index%s: %s", k->c->folder, k->part, place, take_text);
  k->say(k->context, text);
  k->wrong++;
  free(text);
  free(take_text);
}

// Would the index list a file of this name?
static bool is_content(const struct checking *k, const char *file) {
  char *inner = xasprintf("%s/%s/%s/exercise.lua", k->c->folder, k->part, file);
  bool is_exercise = !access(inner, F_OK);
  free(inner);
  return k->is_lessons ? str_ends(file, ".md") && strcmp(file, "README.md")
                       : is_exercise;
}

static bool is_listed(const struct checking *k, const char *name) {
  for (int i = 0; i < k->line_count; i++)
    if (!strcmp(k->lines[i].name, name))
      return true;
  return false;
}

// 4 is "IV"; what is behind the 39th nobody needs.
static void write_numeral(int n, char out[16]) {
  static const char *const ones[] = {"",  "I",  "II",  "III",  "IV",
                                     "V", "VI", "VII", "VIII", "IX"};
  snprintf(out, 16, "%.*s%s", n / 10 % 4, "XXX", ones[n % 10]);
}

// Parts are numbered as they come: else one was left out, or is no part.
static void check_parts(struct checking *k) {
  int parts = 0;
  char wanted[16];
  for (int i = 0; i < k->line_count; i++) {
    const char *name = k->lines[i].name;
    if (!part_title(&k->lines[i]))
      continue;
    write_numeral(++parts, wanted);
    size_t n = strlen(wanted);
    if (strncmp(name, wanted, n) || name[n] != ' ')
      complain(k, i + 1,
               xasprintf("the part \"%s\" comes where %s does (a comment "
                         "begins with no Roman numeral)",
                         name, wanted));
  }
}

static bool is_file(const struct checking *k, const char *name) {
  for (int i = 0; i < k->file_count; i++)
    if (!strcmp(k->files[i], name))
      return is_content(k, name);
  return false;
}

static void check_there(struct checking *k, int line, const char *name) {
  struct nearest near = nearest_to(name);
  char hint[NEAREST_HINT];
  if (is_file(k, name))
    return;
  for (int i = 0; i < k->file_count; i++)
    if (is_content(k, k->files[i]))
      nearest_try(&near, k->files[i], strlen(k->files[i]));
  complain(k, line,
           xasprintf("there is no %s \"%s\" in the folder%s",
                     k->is_lessons ? "lesson" : "exercise", name,
                     nearest_hint(hint, &near, "", "?")));
}

// Once as itself, and a lesson once by its number.
static void check_once(struct checking *k, int at) {
  const char *name = k->lines[at].name;
  for (int i = 0; i < at; i++) {
    const char *other = k->lines[i].name;
    if (k->lines[i].is_comment || !*other)
      continue;
    if (!strcmp(name, other))
      complain(k, at + 1, xasprintf("%s is listed twice", name));
    else if (k->is_lessons && atoi(name) > 0 && atoi(name) == atoi(other))
      complain(k, at + 1,
               xasprintf("%s and %s have the same number", other, name));
    else
      continue;
    return;
  }
}

int course_check(const struct course *c, const char *part,
                 void (*say)(void *context, const char *text), void *context) {
  struct checking k = {.c = c, .part = part, .say = say, .context = context};
  struct err_info e = {0};
  k.is_lessons = !strcmp(part, "lessons");
  if (has_no(c, part))
    return 0;
  if (read_index(c, part, &k.lines, &k.line_count, &e)) {
    say(context, e.text);
    return 1;
  }
  char *folder = xasprintf("%s/%s", c->folder, part);
  k.files = file_names(folder, &k.file_count);
  free(folder);
  for (int i = 0; i < k.line_count; i++)
    if (!k.lines[i].is_comment && *k.lines[i].name) {
      check_there(&k, i + 1, k.lines[i].name);
      check_once(&k, i);
    }
  if (k.is_lessons)
    check_parts(&k);
  for (int i = 0; i < k.file_count; i++)
    if (is_content(&k, k.files[i]) && !is_listed(&k, k.files[i]))
      complain(&k, 0,
               xasprintf("%s is in the folder and not listed; a line \"# %s\" "
                         "leaves it out",
                         k.files[i], k.files[i]));
  file_names_free(k.files, k.file_count);
  free_lines(k.lines, k.line_count);
  return k.wrong;
}
