// SPDX-License-Identifier: Apache-2.0
// The judge for a prompt.
#include "grade/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "grade/exercise/exercise.h"
#include "grade/judge/judge.h"
#include "grade/verdict/verdict.h"

struct check {
  struct judge *judge;
};

enum err check_open(const struct check_options *options, struct check **out,
                    struct err_info *e) {
  struct judge_options q = {
      .gpu = options->gpu,
      .is_cancelled = options->is_cancelled,
      .context = options->context,
  };
  struct check *c = xcalloc(1, sizeof *c);
  enum err err = judge_open(&q, &c->judge, e);
  if (err)
    free(c);
  *out = err ? NULL : c;
  return err;
}

void check_close(struct check *c) {
  if (!c)
    return;
  judge_close(c->judge);
  free(c);
}

enum err check_run(struct check *c, const struct check_text *t,
                   struct verdict **out, char **page, struct err_info *e) {
  struct exercise *ex;
  struct source s;
  char *refused;
  enum err err = exercise_load(t->exercise, &ex, e);
  if (err)
    return err;
  source_from_text(t->name, t->text, strlen(t->text), &s, &refused);
  *out = judge_run(c->judge, ex, &s, refused);
  *page = page_make(*out, s.text);
  free(refused);
  source_free(&s);
  exercise_free(ex);
  return ERR_OK;
}

char *check_hint(const char *exercise, int i, int *count, struct err_info *e) {
  struct exercise *ex;
  *count = 0;
  if (exercise_load(exercise, &ex, e))
    return NULL;
  *count = ex->hint_count;
  if (!ex->hint_count)
    err_set(e, ERR_NOT_FOUND,
            "%s has no hints: :check names the lines that cost most", exercise);
  char *hint =
      i >= 0 && i < ex->hint_count ? xstrdup(message(ex->hints[i])) : NULL;
  exercise_free(ex);
  return hint;
}

char *check_editorial(const char *exercise) {
  struct exercise *ex;
  if (exercise_load(exercise, &ex, NULL))
    return NULL;
  char *text = ex->editorial ? xstrdup(message(ex->editorial)) : NULL;
  exercise_free(ex);
  return text;
}

// Who is to mend code or make it better, or is told of the starter, must see it:
// from its first line that is no comment on, for the comment says the task again.
// NULL: the task is about nothing that is there.
static char *code_of_task(const struct exercise *ex) {
  if (!str_starts(ex->task, "Mend ") && !str_starts(ex->task, "Make ") &&
      !strstr(ex->task, "starter"))
    return NULL;
  const char *comment = exercise_comment(ex->kind), *at = ex->starter;
  while (*at == '\n' || str_starts(at, comment)) {
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  return xstrdup(at);
}

enum err check_about(const char *exercise, struct check_about *out,
                     struct err_info *e) {
  struct exercise *ex;
  *out = (struct check_about){0};
  enum err err = exercise_load(exercise, &ex, e);
  if (err)
    return err;
  const char *task = message(ex->task);
  out->title = xstrdup(message(ex->title));
  out->hardware = exercise_hardware_text(ex);
  out->task = out->hardware
                  ? xasprintf(message("%s Needs %s."), task, out->hardware)
                  : xstrdup(task);
  out->signature = xstrdup(ex->signature);
  out->code = code_of_task(ex);
  out->kernel = xstrdup(ex->kernel);
  out->minutes = ex->minutes;
  out->needs_gpu = ex->hardware.gpu;
  out->is_lua = exercise_is_lua(ex->kind);
  out->is_script = ex->kind == EXERCISE_BATCH;
  out->extension = exercise_extension(ex->kind);
  out->is_locked = ex->is_locked;
  out->kernel_count = ex->kernel_count;
  out->kernels = xcalloc((size_t)ex->kernel_count + 1, sizeof *out->kernels);
  for (int i = 0; i < ex->kernel_count; i++)
    out->kernels[i] = xstrdup(ex->kernels[i].name);
  exercise_free(ex);
  return ERR_OK;
}

void check_about_free(struct check_about *about) {
  free(about->title);
  free(about->task);
  free(about->signature);
  free(about->code);
  free(about->kernel);
  free(about->hardware);
  exercise_names_free(about->kernels, about->kernel_count);
}

enum err check_texts(const char *exercise, char **starter, char **solution,
                     struct err_info *e) {
  struct exercise *ex;
  enum err err = exercise_load(exercise, &ex, e);
  if (err)
    return err;
  *starter = xstrdup(ex->starter);
  *solution = *ex->written ? xstrdup(ex->solution)
                           : xasprintf(message("%s This copy of the course "
                                               "has no solutions.\n"),
                                       exercise_comment(ex->kind));
  exercise_free(ex);
  return ERR_OK;
}
