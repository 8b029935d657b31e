// SPDX-License-Identifier: Apache-2.0
// New courses, lessons and exercises: copies of skeleton/.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "grade/course/course.h"

enum { MAX_FILE_BYTES = 1 << 20 };

// What was made so far, to be taken away again when the rest cannot be.
struct making {
  struct err_info *e;
  enum err err;
  char **made; // files and folders, in order
  int count;
};

static void remember(struct making *m, char *take_path) {
  m->made = xrealloc(m->made, (size_t)(m->count + 1) * sizeof *m->made);
  m->made[m->count++] = take_path;
}

// Takes back what was made if something went wrong.
static enum err finish(struct making *m) {
  for (int i = m->count - 1; i >= 0; i--) {
    if (m->err)
      remove(m->made[i]);
    free(m->made[i]);
  }
  free(m->made);
  return m->err;
}

// ---- Parts ----

static void make_folder(struct making *m, const char *path) {
  if (m->err)
    return;
  if (!mkdir(path, 0755))
    remember(m, xstrdup(path));
  else if (errno == EEXIST)
    m->err = err_set(m->e, ERR_ARGUMENT,
                     "%s is there already and was left as it is", path);
  else
    m->err = err_set(m->e, ERR_IO, "cannot make the folder %s: %s", path,
                     strerror(errno));
}

static void make_file(struct making *m, const char *path, const char *text) {
  if (m->err)
    return;
  if (!access(path, F_OK)) {
    m->err = err_set(m->e, ERR_ARGUMENT,
                     "%s is there already and was left as it is", path);
    return;
  }
  m->err = file_write(path, text, strlen(text), 0644, m->e);
  if (!m->err)
    remember(m, xstrdup(path));
}

// A file of skeleton/; "" when it is not there.
static char *model(struct making *m, const char *relative) {
  char *under = xasprintf("skeleton/%s", relative), *text = NULL;
  char *path = file_own(under);
  size_t bytes;
  if (!m->err && !path)
    m->err = err_set(m->e, ERR_NOT_FOUND, "%s is not installed", under);
  else if (!m->err)
    m->err = file_read(path, MAX_FILE_BYTES, &text, &bytes, m->e);
  free(path);
  free(under);
  return text ? text : xstrdup("");
}

static char *with(char *take_text, const char *from, const char *to) {
  struct str out = STR_INIT;
  const char *p = take_text;
  for (const char *hit; (hit = strstr(p, from)); p = hit + strlen(from))
    str_addf(&out, "%.*s%s", (int)(hit - p), p, to);
  str_add(&out, p);
  free(take_text);
  return str_take(&out);
}

// Adds a line to an index, with what it lacks at its end.
static void list_in(struct making *m, const char *path, const char *name) {
  char *text;
  size_t bytes;
  if (m->err)
    return;
  m->err = file_read(path, MAX_FILE_BYTES, &text, &bytes, m->e);
  if (m->err)
    return;
  bool is_whole = !bytes || text[bytes - 1] == '\n';
  char *more = xasprintf("%s%s%s\n", text, is_whole ? "" : "\n", name);
  m->err = file_write(path, more, strlen(more), 0644, m->e);
  free(more);
  free(text);
}

static enum err check_name(const char *what, const char *name,
                           struct err_info *e) {
  return course_is_name(name)
             ? ERR_OK
             : err_set(e, ERR_ARGUMENT,
                       "%s is named with small letters, digits and -, 40 at "
                       "most, not \"%.80s\"",
                       what, name);
}

// "my-first-lesson": "My first lesson".
static char *title_of(const char *name) {
  char *title = xstrdup(name);
  for (char *p = title; *p; p++)
    *p = *p == '-' ? ' ' : *p;
  *title = (char)toupper((unsigned char)*title);
  return title;
}

// ---- Courses ----

static void make_part(struct making *m, const char *folder, const char *part,
                      char *take_text) {
  char *path = xasprintf("%s/%s", folder, part);
  make_file(m, path, take_text);
  free(take_text);
  free(path);
}

static void make_subfolder(struct making *m, const char *folder,
                           const char *name) {
  char *path = xasprintf("%s/%s", folder, name);
  make_folder(m, path);
  free(path);
}

enum err scaffold_course(const char *folder, char **said, struct err_info *e) {
  struct making m = {.e = e};
  size_t n = strlen(folder);
  while (n > 1 && folder[n - 1] == '/')
    n--;
  char *path = xstrndup(folder, n), *slash = strrchr(path, '/');
  const char *name = slash && slash[1] ? slash + 1 : path;
  m.err = check_name("a course", name, e);
  make_folder(&m, path);
  make_subfolder(&m, path, "lessons");
  make_subfolder(&m, path, "exercises");
  char *title = title_of(name);
  make_part(&m, path, "course",
            with(with(model(&m, "course"), "skeleton", name),
                 "A course of one lesson", title));
  make_part(&m, path, "lessons/index", model(&m, "lessons/index"));
  make_part(&m, path, "lessons/01-first.md", model(&m, "lessons/01-first.md"));
  make_part(&m, path, "exercises/index", xstrdup(""));
  *said = xasprintf("made the course %s with its first lesson; see it: "
                    "warpshop learn %s%s\n",
                    path, slash ? "" : "./", path);
  free(title);
  free(path);
  return finish(&m);
}

// ---- Lessons ----

// The number of the next lesson; 0 and an error where the name is taken.
static int next_number(const struct course *c, const char *name,
                       struct err_info *e) {
  char **names;
  int count, last = 0;
  if (course_index(c, "lessons", &names, &count, e))
    return 0;
  for (int i = 0; i < count; i++) {
    int number = atoi(names[i]);
    const char *rest = names[i] + strspn(names[i], "0123456789");
    last = number > last && last >= 0 ? number : last;
    rest += *rest == '-';
    if (strlen(rest) == strlen(name) + 3 && str_starts(rest, name) &&
        str_ends(rest, ".md")) {
      err_set(e, ERR_ARGUMENT, "lessons/%s is there already", names[i]);
      last = -1;
    }
  }
  file_names_free(names, count);
  return last + 1;
}

enum err scaffold_lesson(const char *name, char **said, struct err_info *e) {
  struct making m = {.e = e};
  struct course *c = NULL;
  *said = NULL;
  m.err = check_name("a lesson", name, e);
  if (!m.err && !course_is_folder("."))
    m.err = err_set(e, ERR_ARGUMENT,
                    "a lesson is made in a course's folder, and this is none: "
                    "warpshop course new DIR makes one");
  if (!m.err)
    m.err = course_load(".", &c, e);
  int number = m.err ? 0 : next_number(c, name, e);
  if (!m.err && !number)
    m.err = e->code;
  char *file = xasprintf("%02d-%s.md", number, name), *title = title_of(name);
  make_part(&m, "lessons", file,
            with(model(&m, "lessons/01-first.md"), "A first lesson", title));
  list_in(&m, "lessons/index", file);
  *said = xasprintf("made lessons/%s, the last of lessons/index; test it: "
                    "warpshop lesson test . %d\n",
                    file, number);
  free(title);
  free(file);
  course_free(c);
  return finish(&m);
}

// ---- Exercises ----

// The files of the kind's model; none and an error where there is no such kind.
static char **model_files(const char *kind, int *count, struct err_info *e) {
  char *folder = file_own("skeleton/exercises"), **kinds;
  int kind_count;
  struct nearest near = nearest_to(kind);
  struct str list = STR_INIT;
  bool is_there = false;
  kinds = file_names(folder ? folder : "", &kind_count);
  for (int i = 0; i < kind_count; i++) {
    if (!strcmp(kinds[i], "index"))
      continue;
    is_there |= !strcmp(kinds[i], kind);
    nearest_try(&near, kinds[i], strlen(kinds[i]));
    str_addf(&list, "%s%s", list.len ? ", " : "", kinds[i]);
  }
  char *path = xasprintf("%s/%s", folder ? folder : "", kind);
  char **files = NULL;
  *count = 0;
  if (is_there)
    files = file_names(path, count);
  else if (near.name)
    err_set(e, ERR_ARGUMENT, "there is no kind \"%.40s\"; did you mean %s?",
            kind, near.name);
  else
    err_set(e, ERR_ARGUMENT, "there is no kind \"%.40s\"; there are: %s", kind,
            list.len ? list.data : "none: skeleton/exercises is not installed");
  file_names_free(kinds, kind_count);
  str_free(&list);
  free(path);
  free(folder);
  return files;
}

enum err scaffold_exercise(const char *name, const char *kind, char **said,
                           struct err_info *e) {
  struct making m = {.e = e};
  int count = 0;
  bool is_listed = course_is_folder(".");
  char *folder = xasprintf("%s%s", is_listed ? "exercises/" : "", name);
  m.err = check_name("an exercise", name, e);
  char **files = m.err ? NULL : model_files(kind, &count, e);
  if (!m.err && !count)
    m.err = e->code;
  make_folder(&m, folder);
  for (int i = 0; i < count; i++) {
    char *relative = xasprintf("exercises/%s/%s", kind, files[i]);
    make_part(&m, folder, files[i], model(&m, relative));
    free(relative);
  }
  if (is_listed)
    list_in(&m, "exercises/index", name);
  *said = xasprintf("made %s%s; change it, then: warpshop exercise test ./%s\n",
                    folder, is_listed ? ", the last of exercises/index" : "",
                    folder);
  file_names_free(files, count);
  free(folder);
  return finish(&m);
}
