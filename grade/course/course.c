// SPDX-License-Identifier: Apache-2.0
// Courses: the file that makes a folder one, which is in use, which there are.
//
// The one in use stands in the environment, as the device does: what is started
// from a lesson (a judge, an editor's `warpshop grade`) speaks of the same one.
#include "grade/course/course.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"

enum { MAX_FILE_BYTES = 1 << 20, MAX_NAME = 40 };
static const char in_use[] = "WARPSHOP_COURSE", places[] = "WARPSHOP_COURSES";

// ---- The file ----

static char *path_of(const char *folder, const char *file) {
  size_t n = strlen(folder);
  while (n > 1 && folder[n - 1] == '/')
    n--;
  return xasprintf("%.*s/%s", (int)n, folder, file);
}

bool course_is_folder(const char *folder) {
  char *path = path_of(folder, "course");
  bool is_there = !access(path, F_OK);
  free(path);
  return is_there;
}

static enum err unknown_key(const char *key, struct err_info *e) {
  static const char *const keys[] = {"name", "title", "version", "solutions"};
  struct nearest near = nearest_to(key);
  char hint[NEAREST_HINT];
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    nearest_try(&near, keys[i], strlen(keys[i]));
  return err_set(e, ERR_ARGUMENT,
                 "\"%.40s:\" is no line of a course%s; it has name:, "
                 "title:, version:, solutions: (open or locked)",
                 key, nearest_hint(hint, &near, "", ":"));
}

bool course_is_name(const char *name) {
  size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
  return n && !name[n] && *name != '-' && n <= MAX_NAME;
}

static enum err take_text(char **field, const char *key, const char *value,
                          struct err_info *e) {
  if (*field)
    return err_set(e, ERR_ARGUMENT, "%s: is there twice", key);
  if (!*value)
    return err_set(e, ERR_ARGUMENT, "%s: says nothing", key);
  *field = xstrdup(value);
  return ERR_OK;
}

static enum err take_field(struct course *c, const char *key, const char *value,
                           struct err_info *e) {
  if (!strcmp(key, "title"))
    return take_text(&c->title, key, value, e);
  if (!strcmp(key, "version"))
    return take_text(&c->version, key, value, e);
  if (!strcmp(key, "name"))
    return course_is_name(value)
               ? take_text(&c->name, key, value, e)
               : err_set(e, ERR_ARGUMENT,
                         "a course is named with small letters, digits and -, "
                         "%d at most",
                         MAX_NAME);
  if (strcmp(key, "solutions"))
    return unknown_key(key, e);
  c->locks_solutions = !strcmp(value, "locked");
  if (!c->locks_solutions && strcmp(value, "open"))
    return err_set(e, ERR_ARGUMENT, "solutions: is open or locked");
  return ERR_OK;
}

static enum err take_line(struct course *c, const char *p, size_t n,
                          struct err_info *e) {
  const char *colon = memchr(p, ':', n);
  char *key = str_trimmed(p, colon ? (size_t)(colon - p) : n);
  enum err err = ERR_OK;
  if (*key && *key != '#' && !colon)
    err = err_set(e, ERR_ARGUMENT, "a line of a course is \"key: value\"");
  else if (*key && *key != '#') {
    char *value = str_trimmed(colon + 1, n - (size_t)(colon + 1 - p));
    err = take_field(c, key, value, e);
    free(value);
  }
  free(key);
  return err;
}

static enum err read_lines(struct course *c, const char *path, const char *text,
                           struct err_info *e) {
  int line = 1;
  struct err_info why = {0};
  for (const char *p = text; *p; line++) {
    size_t n = strcspn(p, "\n");
    enum err err = take_line(c, p, n, &why);
    if (err)
      return err_set(e, err, "%s:%d: %s", path, line, why.text);
    p += n + (p[n] == '\n');
  }
  const char *missing = !c->name      ? "name"
                        : !c->title   ? "title"
                        : !c->version ? "version"
                                      : NULL;
  return missing ? err_set(e, ERR_ARGUMENT, "%s: there is no line %s:", path,
                           missing)
                 : ERR_OK;
}

enum err course_load(const char *folder, struct course **out,
                     struct err_info *e) {
  *out = NULL;
  char real[PATH_MAX], *text = NULL;
  size_t bytes;
  if (!realpath(folder, real))
    return err_set(e, ERR_NOT_FOUND, "there is no folder %.300s", folder);
  if (!course_is_folder(real))
    return err_set(e, ERR_NOT_FOUND,
                   "%.300s is no course: it has no file named course (warpshop "
                   "course new makes one)",
                   folder);
  struct course *c = xcalloc(1, sizeof *c);
  char *path = path_of(real, "course");
  c->folder = xstrdup(real);
  enum err err = file_read(path, MAX_FILE_BYTES, &text, &bytes, e);
  if (!err)
    err = read_lines(c, path, text, e);
  free(path);
  free(text);
  if (err)
    course_free(c);
  else
    *out = c;
  return err;
}

void course_free(struct course *c) {
  if (!c)
    return;
  char *texts[] = {c->folder, c->name, c->title, c->version};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    free(texts[i]);
  free(c);
}

// ---- The one in use ----

enum err course_own(struct course **out, struct err_info *e) {
  char *path = file_own("course");
  *out = NULL;
  if (!path)
    return err_set(e, ERR_NOT_FOUND,
                   "warpshop's own lessons and exercises were not found: "
                   "neither beside the program nor in its share/warpshop; "
                   "WARPSHOP_HOME can name the folder");
  *strrchr(path, '/') = 0;
  enum err err = course_load(path, out, e);
  free(path);
  return err;
}

enum err course_in_use(struct course **out, struct err_info *e) {
  const char *folder = getenv(in_use);
  struct err_info why = {0};
  if (!folder || !*folder)
    return course_own(out, e);
  enum err err = course_load(folder, out, &why);
  return err ? err_set(e, err, "%s: %s", in_use, why.text) : ERR_OK;
}

// A path, or a name that is no other course's and a folder here.
static char *folder_named(const char *what, struct err_info *e) {
  if (strchr(what, '/') || !strcmp(what, ".") || !strcmp(what, ".."))
    return xstrdup(what);
  struct course_list list;
  struct str notes = STR_INIT, names = STR_INIT;
  struct nearest near = nearest_to(what);
  char hint[NEAREST_HINT];
  char *folder = NULL;
  course_list_load(&list, &notes);
  for (int i = 0; i < list.count; i++) {
    const char *name = list.at[i]->name;
    nearest_try(&near, name, strlen(name));
    str_addf(&names, "%s%s", i ? ", " : "", name);
    if (!folder && !strcmp(name, what))
      folder = xstrdup(list.at[i]->folder);
  }
  if (!folder && course_is_folder(what))
    folder = xstrdup(what);
  if (!folder)
    err_set(e, ERR_NOT_FOUND,
            "no course \"%.80s\"%s; there is %s (%s lists folders with more; "
            "a folder is named with a slash: ./%.80s)",
            what, nearest_hint(hint, &near, "", ""), names.data, places, what);
  course_list_free(&list);
  str_free(&notes);
  str_free(&names);
  return folder;
}

enum err course_use(const char *what, struct err_info *e) {
  char *folder = folder_named(what, e);
  struct course *c = NULL;
  if (!folder)
    return ERR_NOT_FOUND;
  enum err err = course_load(folder, &c, e);
  if (!err && setenv(in_use, c->folder, 1))
    err = err_set(e, ERR_NOMEM, "no memory for %s", in_use);
  course_free(c);
  free(folder);
  return err;
}

char *course_xdg(enum xdg which) {
  struct course *c = NULL;
  const char *folder = getenv(in_use);
  if (!folder || !*folder)
    return file_xdg(which);
  if (course_load(folder, &c, NULL))
    return NULL;
  char *base = file_xdg(which), *path = NULL;
  if (base && strcmp(c->name, "warpshop"))
    path = xasprintf("%s/courses/%s", base, c->name);
  else
    path = base, base = NULL;
  free(base);
  course_free(c);
  return path;
}

// ---- Those that there are ----

// Takes the course that was loaded, or notes why there is none.
static void take(struct course_list *list, struct course *c,
                 const struct err_info *e, struct str *notes) {
  for (int i = 0; c && i < list->count; i++)
    if (!strcmp(list->at[i]->folder, c->folder)) {
      course_free(c);
      return;
    }
  if (!c) {
    str_addf(notes, "%s\n", e->text);
    return;
  }
  list->at = xrealloc(list->at, (size_t)(list->count + 1) * sizeof *list->at);
  list->at[list->count++] = c;
}

// A course, or a folder of courses.
static void take_place(struct course_list *list, const char *place,
                       struct str *notes) {
  struct course *c;
  struct err_info e = {0};
  int count, before = list->count;
  if (course_is_folder(place)) {
    course_load(place, &c, &e);
    take(list, c, &e, notes);
    return;
  }
  char **names = file_names(place, &count);
  bool has_course = false;
  for (int i = 0; i < count; i++) {
    char *folder = path_of(place, names[i]);
    if (course_is_folder(folder)) {
      has_course = true;
      course_load(folder, &c, &e);
      take(list, c, &e, notes);
    }
    free(folder);
  }
  file_names_free(names, count);
  if (!has_course && before == list->count)
    str_addf(notes, "%s: there is no course in %s\n", places, place);
}

void course_list_load(struct course_list *out, struct str *notes) {
  struct course *c;
  struct err_info e = {0};
  *out = (struct course_list){0};
  course_in_use(&c, &e);
  take(out, c, &e, notes);
  course_own(&c, &e);
  take(out, c, &e, notes);
  const char *text = getenv(places);
  char *copy = xstrdup(text ? text : ""), *rest = copy, *place;
  while ((place = strsep(&rest, ":")))
    if (*place)
      take_place(out, place, notes);
  free(copy);
}

void course_list_free(struct course_list *list) {
  for (int i = 0; i < list->count; i++)
    course_free(list->at[i]);
  free(list->at);
  *list = (struct course_list){0};
}
