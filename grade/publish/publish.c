// SPDX-License-Identifier: Apache-2.0
#include "grade/publish/publish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/tree.h"
#include "gpu/nvrtc/nvrtc.h"
#include "grade/course/course.h"
#include "grade/input/input.h"
#include "grade/judge/judge.h"
#include "grade/publish/ptx_strip.h"
#include "grade/publish/publish_text.h"
#include "grade/runner/runner.h"

enum { MAX_FILE_BYTES = 1 << 20 };

struct publication {
  const struct course *course;
  const char *into;
  struct judge *judge; // its compiler
  int exercises, hidden, locked;
  struct err_info *e;
  enum err err;
};

static void write_to(struct publication *p, const char *folder,
                     const char *name, const char *text) {
  char *path = xasprintf("%s/%s", folder, name);
  if (!p->err)
    p->err = file_write(path, text, strlen(text), 0644, p->e);
  free(path);
}

static void make_folder(struct publication *p, const char *folder) {
  if (!p->err && mkdir(folder, 0755))
    p->err = err_set(p->e, errno == EEXIST ? ERR_ARGUMENT : ERR_IO,
                     errno == EEXIST
                         ? "%.300s is there already and was left as it is"
                         : "the folder %.300s cannot be made: %s",
                     folder, strerror(errno));
}

// ---- PTX ----

// The __constant__ arrays that a case fills by name; NULL behind the last.
static const char **kept_names(const struct exercise *ex) {
  const char **names = xcalloc((size_t)ex->param_count + 1, sizeof *names);
  int count = 0;
  for (int i = 0; i < ex->param_count; i++)
    if (ex->params[i].direction == PARAM_CONSTANT)
      names[count++] = ex->params[i].name;
  return names;
}

// PTX tells the types of a kernel by its name alone, which extern "C" takes away; to be
// freed.
static char *with_types(const char *source) {
  char *text = xstrdup(source);
  struct tokens t;
  tokens_read(source, false, &t);
  for (int i = 0; i + 2 < t.count; i++)
    if (token_is(&t, i, "extern") && token_is(&t, i + 1, "\"C\"") &&
        token_is(&t, i + 2, "__global__"))
      memset(text + t.list[i].offset, ' ', token_span(&t, i, i + 1));
  tokens_free(&t);
  return text;
}

// A program of the exercise's becomes a file; it must still have the kernels.
static void write_ptx(struct publication *p, const struct exercise *ex,
                      const char *source, const char *folder,
                      const char *name) {
  if (p->err)
    return;
  char *typed = with_types(source);
  struct judge_compile c = {typed, "own.cu", NULL, .debug = false};
  struct nvrtc_program *program = NULL, *again = NULL;
  struct found_kernels kernels;
  struct err_info why = {0};
  char *missing = NULL;
  const char **keep = kept_names(ex);
  p->err = judge_compile(p->judge, &c, &program, &why);
  char *ptx = p->err ? xstrdup("") : ptx_strip(program->code, keep);
  c.text = ptx;
  if (!p->err)
    p->err = judge_compile(p->judge, &c, &again, &why);
  if (!p->err && !signature_find(ex, again, &kernels, &missing))
    p->err = err_set(&why, ERR_ARGUMENT,
                     "%s (PTX tells the types of a kernel that is not extern "
                     "\"C\": write that right before __global__ or not at "
                     "all, or leave the course's solutions open)",
                     missing);
  if (p->err)
    err_set(p->e, p->err, "%s: %s: %s", ex->name, name, why.text);
  else
    write_to(p, folder, name, ptx);
  free(missing);
  free(ptx);
  free(typed);
  free(keep);
  nvrtc_program_free(program);
  nvrtc_program_free(again);
}

static void write_mutants(struct publication *p, const struct exercise *ex,
                          const char *folder) {
  int number = 0;
  for (int i = 0; i < ex->mutant_count; i++) {
    if (!publish_has_mutant(ex, i))
      continue;
    char *name = xasprintf("mutant-%d.ptx", ++number);
    write_ptx(p, ex, ex->mutants[i].source, folder, name);
    free(name);
  }
}

// ---- One exercise ----

static bool is_locked(const struct exercise *ex) {
  if (ex->is_locked || !ex->private_folder)
    return ex->is_locked;
  char *name =
      xasprintf("%s/%s", ex->private_folder, exercise_solution_name(ex->kind));
  struct stat info;
  bool is_private = !stat(name, &info);
  free(name);
  return is_private;
}

static void write_solution(struct publication *p, const struct exercise *ex,
                           const char *folder, bool locked) {
  char *starter = NULL;
  if (p->err)
    return;
  if (!locked) {
    write_to(p, folder, exercise_solution_name(ex->kind), ex->written);
    return;
  }
  p->err = source_cut_starter(ex->written, exercise_comment(ex->kind), &starter,
                              p->e);
  char *name = xasprintf("starter%s", exercise_extension(ex->kind));
  if (!p->err)
    write_to(p, folder, name, starter);
  free(name);
  free(starter);
  if (ex->kind != EXERCISE_CUDA) // what is no kernel has no PTX
    return;
  write_ptx(p, ex, ex->solution, folder, "solution.ptx");
  write_mutants(p, ex, folder);
}

static void write_text(struct publication *p, const struct exercise *ex,
                       const char *folder, bool locked) {
  char *path = xasprintf("%s/exercise.lua", ex->folder);
  char *source = NULL, *text = NULL;
  size_t bytes;
  if (!p->err)
    p->err = file_read(path, MAX_FILE_BYTES, &source, &bytes, p->e);
  if (!p->err)
    p->err = publish_text(ex, source, locked, &text, p->e);
  if (!p->err)
    write_to(p, folder, "exercise.lua", text);
  free(text);
  free(source);
  free(path);
}

// What was written must be an exercise.
static void check_copy(struct publication *p, const char *folder) {
  struct exercise *copy;
  if (p->err)
    return;
  p->err = exercise_load(folder, &copy, p->e);
  if (p->err)
    return;
  for (int i = 0; i < copy->case_count; i++)
    if (copy->cases[i].is_hidden)
      p->err =
          err_set(p->e, ERR_INTERNAL, "%s still has a hidden case", folder);
  exercise_free(copy);
}

static void publish_exercise(struct publication *p, const char *name) {
  struct exercise *ex;
  char *from = xasprintf("%s/exercises/%s", p->course->folder, name);
  char *folder = xasprintf("%s/exercises/%s", p->into, name);
  if (!p->err)
    p->err = exercise_load(from, &ex, p->e);
  if (!p->err && !*ex->written)
    p->err = err_set(p->e, ERR_ARGUMENT,
                     "%s: this course is a learner's copy already", name);
  if (!p->err) {
    bool locked = is_locked(ex);
    make_folder(p, folder);
    write_text(p, ex, folder, locked);
    write_solution(p, ex, folder, locked);
    if (ex->host_source)
      write_to(p, folder, ex->host_file, ex->host_source);
    check_copy(p, folder);
    p->exercises++;
    p->locked += locked;
    for (int i = 0; i < ex->case_count; i++)
      p->hidden += ex->cases[i].is_hidden;
    exercise_free(ex);
  }
  free(folder);
  free(from);
}

// ---- The course ----

static void copy_part(struct publication *p, const char *under) {
  char *from = xasprintf("%s/%s", p->course->folder, under);
  char *to = xasprintf("%s/%s", p->into, under);
  if (!p->err)
    p->err = tree_copy(from, to, p->e);
  free(to);
  free(from);
}

static void publish_lessons(struct publication *p) {
  char **names, *folder = xasprintf("%s/lessons", p->into);
  int count;
  if (!p->err)
    p->err = course_index(p->course, "lessons", &names, &count, p->e);
  if (!p->err) {
    make_folder(p, folder);
    copy_part(p, "lessons/index");
    for (int i = 0; i < count; i++) {
      char *under = xasprintf("lessons/%s", names[i]);
      copy_part(p, under);
      free(under);
    }
    file_names_free(names, count);
  }
  free(folder);
}

// The index is written anew: a comment may name what is left out.
static void publish_exercises(struct publication *p) {
  char **names, *folder = xasprintf("%s/exercises", p->into);
  struct str index = STR_INIT;
  int count;
  str_add(&index, "");
  if (!p->err)
    p->err = course_index(p->course, "exercises", &names, &count, p->e);
  if (!p->err) {
    make_folder(p, folder);
    for (int i = 0; i < count; i++) {
      publish_exercise(p, names[i]);
      str_addf(&index, "%s\n", names[i]);
    }
    write_to(p, folder, "index", index.data);
    file_names_free(names, count);
  }
  str_free(&index);
  free(folder);
}

enum err publish_course(const char *folder, const char *into, char **said,
                        struct err_info *e) {
  struct judge_options options = {.skips_rules = true};
  struct publication p = {.into = into, .e = e};
  struct course *course = NULL;
  *said = NULL;
  p.err = course_load(folder, &course, e);
  p.course = course;
  if (!p.err)
    p.err = judge_open(&options, &p.judge, e);
  bool is_made = false;
  if (!p.err) {
    make_folder(&p, into);
    is_made = !p.err;
    copy_part(&p, "course");
    publish_lessons(&p);
    publish_exercises(&p);
  }
  if (p.err && is_made)
    tree_remove(into);
  if (!p.err)
    *said =
        xasprintf("made %s: %d exercises, %d of them without the solution's "
                  "source; %d hidden cases stayed behind\n",
                  into, p.exercises, p.locked, p.hidden);
  judge_close(p.judge);
  course_free(course);
  return p.err;
}
