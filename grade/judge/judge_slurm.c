// SPDX-License-Identifier: Apache-2.0
#include "grade/judge/judge_slurm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/output.h"
#include "cluster/cluster.h"
#include "cluster/script/script.h"
#include "grade/input/input.h"

enum { LIMIT_S = 600, OUTPUT_BYTES = 16384 };

// What became of a script.
struct job {
  enum err err; // ERR_OK: it was run; ERR_ARGUMENT: sbatch refused it
  int status;   // its exit status
  char *printed;
  struct err_info why;
};

static void read_printed(const char *path, struct job *job) {
  size_t bytes;
  char *text = NULL;
  if (file_read(path, 64 << 20, &text, &bytes, NULL))
    return;
  job->printed = text_clean(text, bytes, OUTPUT_BYTES, 1);
  free(text);
}

// In a folder of its own, under a name of its own, by which it is taken back.
static void run(const char *text, const char *folder, struct job *job) {
  char *script = xasprintf("%s/script.sh", folder);
  char *printed = xasprintf("%s/printed", folder);
  char *name = xasprintf("--job-name=%s", strrchr(folder, '/') + 1);
  char *output = xasprintf("--output=%s", printed);
  char *error = xasprintf("--error=%s", printed);
  char *chdir = xasprintf("--chdir=%s", folder);
  const char *const argv[] = {"sbatch", "--parsable", "--wait", name, output,
                              error,    chdir,        script,   NULL};
  static const char *const drops[] = {"SBATCH_", NULL};
  struct output o = {0};
  job->err = file_replace(script, text, strlen(text), &job->why);
  if (!job->err)
    job->err = output_of(argv, drops, LIMIT_S, &o, &job->why);
  if (job->err == ERR_TIMEOUT) {
    char *named = strstr(name, "name=") - 2; // "--name=..."
    named[0] = named[1] = '-';
    const char *const back[] = {"scancel", named, NULL};
    struct output ignored;
    output_of(back, NULL, LIMIT_S, &ignored, NULL);
    output_free(&ignored);
  }
  read_printed(printed, job);
  job->status = o.status;
  if (!job->err && o.status && !job->printed) { // it never began
    char *last = output_last_line(o.err);
    job->err = err_set(&job->why, ERR_ARGUMENT, "%.500s", last);
    free(last);
  }
  output_free(&o);
  unlink(script);
  unlink(printed);
  char *all[] = {script, printed, name, output, error, chdir};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
}

static void run_script(const char *text, struct job *job) {
  *job = (struct job){0};
  const char *base = getenv("TMPDIR");
  char *folder = xasprintf("%s/warpshop-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder))
    job->err = err_set(&job->why, ERR_IO, "%s: no folder can be made", folder);
  else
    run(text, folder, job);
  rmdir(folder);
  free(folder);
}

static void fail(struct trial *t, const char *code, const char *text) {
  for (int i = 0; i < t->v->case_count; i++)
    t->v->cases[i].verdict = VERDICT_FAIL;
  verdict_add(t->v, "wrong-result", code, "%s", text)->severity = GPU_ERROR;
}

// What Slurm refuses may be the machine's fault: then it refuses the solution.
static void blame(struct trial *t, const struct job *job) {
  struct job own;
  run_script(t->ex->solution, &own);
  if (own.err || job->err != ERR_ARGUMENT) {
    verdict_set_error(t->v, BLAME_MACHINE, job->err, job->why.text);
  } else {
    char *text = xasprintf("Slurm refuses it: %s", job->why.text);
    fail(t, "sbatch-refuses", text);
    free(text);
  }
  free(own.printed);
}

void judge_in_slurm(struct trial *t) {
  struct job job;
  if (!slurm_is_here()) {
    verdict_add(t->v, err_kind(ERR_UNSUPPORTED), "not-run",
                "there is no Slurm here: the script was read and not run")
        ->severity = GPU_NOTE;
    return;
  }
  run_script(t->text, &job);
  if (job.err) {
    blame(t, &job);
  } else if (job.status) {
    char *last = output_last_line(job.printed ? job.printed : "");
    char *text = xasprintf("the job ended with status %d%s%s", job.status,
                           *last ? "; it said: " : "", last);
    fail(t, "job-failed", text);
    free(text);
    free(last);
  } else if (t->ex->script->prints &&
             !strstr(job.printed ? job.printed : "", t->ex->script->prints)) {
    char *text = xasprintf("the job does not print: %s", t->ex->script->prints);
    fail(t, "job-output", text);
    free(text);
  }
  free(t->v->output);
  t->v->output = job.printed;
}
