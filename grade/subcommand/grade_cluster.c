// SPDX-License-Identifier: Apache-2.0
#include "grade/subcommand/grade_cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/str.h"
#include "cluster/cluster.h"
#include "grade/batch/batch.h"
#include "grade/command.h"

enum err grade_engine_parse(const char *text, bool *is_slurm,
                            struct slurm_wish *wish, struct err_info *e) {
  static const char slurm[] = "slurm:";
  *wish = (struct slurm_wish){0};
  *is_slurm = !strcmp(text, "slurm") || str_starts(text, slurm);
  if (str_starts(text, slurm))
    return slurm_wish_parse(text + sizeof slurm - 1, wish, e);
  if (*is_slurm || !strcmp(text, "local"))
    return ERR_OK;
  return err_set(e, ERR_ARGUMENT,
                 "there is no engine \"%.60s\"; there are local and slurm, "
                 "such as slurm:partition=gpu,time=0:30:00",
                 text);
}

static void show_note(void *context, const char *text) {
  (void)context;
  progress_hide();
  command_say(0, text);
}

int grade_cluster_open(struct grade_cluster *c, const char *engine,
                       const char *spool, const char *journal, bool resumes) {
  struct err_info e;
  bool is_slurm;
  *c = (struct grade_cluster){0};
  if (grade_engine_parse(engine, &is_slurm, &c->wish, &e))
    return command_say(EXIT_WRONG_USAGE, e.text);
  if (!slurm_is_here())
    return command_say(EXIT_NO_MACHINE,
                       "there is no Slurm here (no sbatch among the programs); "
                       "--engine local judges on this machine");
  char *path = spool ? xstrdup(spool) : xasprintf("%s.spool", journal);
  enum err err = spool_open(path, resumes, &c->on.spool, &e);
  free(path);
  c->on.wish = &c->wish;
  c->on.note = show_note;
  return err ? command_say(EXIT_WRONG_USAGE, e.text) : 0;
}

void grade_cluster_close(struct grade_cluster *c, bool is_done) {
  spool_close(c->on.spool, is_done);
  slurm_wish_free(&c->wish);
}

// ---- On a node ----

static bool read_number(const char *text, int *out) {
  char *end;
  long n = text ? strtol(text, &end, 10) : -1;
  *out = (int)n;
  return text && *text && !*end && n >= 0 && n <= 1 << 30;
}

int grade_task(const char *number, const char *spool) {
  struct err_info e;
  int plan, index;
  if (!spool || !read_number(number, &plan) ||
      !read_number(getenv("SLURM_ARRAY_TASK_ID"), &index))
    return command_say(EXIT_WRONG_USAGE,
                       "--task is what the tasks of --engine slurm run: it "
                       "needs --spool FOLDER and SLURM_ARRAY_TASK_ID");
  return slurm_task_run(spool, plan, index, &e)
             ? command_say(EXIT_NO_MACHINE, e.text)
             : 0;
}
