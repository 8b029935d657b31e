// SPDX-License-Identifier: Apache-2.0
// Theory of operation: one srun is the job, its only step and the line to it (within a
// job, a step of that one). It waits in the queue itself, and cancels the job at SIGTERM. Which job it is says
// our key in the comment: numbers may be given out again.
#include "cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/str.h"
#include "cluster/script/script.h"

#define NAME "slurm"

enum { ASK_LIMIT_S = 3, ASK_AGAIN_S = 5, MAX_WORDS = 64 };

struct slurm_node {
  struct slurm_wish wish;
  char *key, *program, *tasks;
  const char *spread; // over nodes
  const char *cores;  // of each task; NULL: not said
  const char *gpus;   // likewise
  const char *words[MAX_WORDS];
  bool has_gpu;
  int64_t limit_s;
  double asked_s; // when squeue was last asked; 0: never
  char wait[256];
};

bool slurm_node_is_name(const char *name) {
  return !strcmp(name, NAME) || str_starts(name, NAME ":");
}

// ---- What is asked ----

// "1", "a100:2".
static bool is_gpus(const char *text) {
  const char *count = strrchr(text, ':');
  count = count ? count + 1 : text;
  size_t digits = strspn(count, "0123456789");
  return digits && digits < 4 && !count[digits] &&
         strtol(count, NULL, 10) > 0 && *text != ':';
}

static enum err check_word(struct slurm_node *n, const char *word,
                           struct err_info *e) {
  static const char gpu[] = "--gres=gpu:", time[] = "--time=";
  int64_t seconds;
  if (str_starts(word, gpu)) {
    const char *text = word + sizeof gpu - 1;
    n->has_gpu = true;
    if (!is_gpus(text))
      return err_set(
          e, ERR_ARGUMENT,
          "slurm: gpu takes a number, or a kind and a number: gpu=1, "
          "gpu=a100:1; not \"%.40s\"",
          text);
  } else if (str_starts(word, time)) {
    const char *text = word + sizeof time - 1;
    if (!script_read_value(SCRIPT_SECONDS, text, &seconds) || seconds <= 0)
      return err_set(e, ERR_ARGUMENT,
                     "slurm: time takes minutes, hours:minutes:seconds or "
                     "days-hours: time=45, time=1:00:00; not \"%.40s\"",
                     text);
    n->limit_s = (seconds + 59) / 60 * 60; // Slurm counts whole minutes
  }
  return ERR_OK;
}

static enum err take_wish(struct slurm_node *n, const char *name,
                          struct err_info *e) {
  const char *colon = strchr(name, ':');
  enum err err = slurm_wish_parse(colon ? colon + 1 : "", &n->wish, e);
  if (!err && n->wish.each)
    err = err_set(e, ERR_ARGUMENT,
                  "slurm: each is for `grade --engine slurm`; a device is one "
                  "job");
  for (int i = 0; i < n->wish.count && !err; i++)
    err = check_word(n, n->wish.options[i], e);
  return err;
}

// Habits that would put something else on the line: they have no opposite among
// srun's options.
static const char *const habits[] = {
    "SLURM_LABELIO",    "SLURM_UNBUFFEREDIO", "SLURM_STDINMODE",
    "SLURM_STDOUTMODE", "SLURM_STDERRMODE",   "SLURM_NTASKS",
    "SLURM_NNODES",     "SLURM_NPROCS",       "SLURM_MULTI_PROG",
    "SLURM_SRUN_MULTI", "SLURM_DEBUG",        "SRUN_DEBUG",
};

// `program`: the words of what is started, so many times.
static void make_words(struct slurm_node *n, const char *const *program) {
  size_t k = 0;
  n->words[k++] = "env";
  for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
    n->words[k++] = "-u";
    n->words[k++] = habits[i];
  }
  n->words[k++] = "srun";
  n->words[k++] = "--quiet";
  n->words[k++] = n->tasks;
  n->words[k++] = n->spread;
  if (n->cores)
    n->words[k++] = n->cores;
  if (n->gpus)
    n->words[k++] = n->gpus;
  n->words[k++] = "--mpi=none";
  n->words[k++] = "--job-name=warpshop";
  n->words[k++] = n->key;
  for (int i = 0; i < n->wish.count; i++)
    n->words[k++] = n->wish.options[i];
  while (*program && k < MAX_WORDS - 1)
    n->words[k++] = *program++;
}

static const char *comment(const struct slurm_node *n) {
  return strchr(n->key, '=') + 1;
}

// `other`: what needs no Slurm.
static enum err begin(const char *name, int tasks, const char *other,
                      struct slurm_node **out, struct err_info *e) {
  struct slurm_node *n = xcalloc(1, sizeof *n);
  uint64_t key = 0;
  *out = n;
  enum err err = take_wish(n, name, e);
  if (!err && !slurm_has_srun())
    err = err_set(e, ERR_NOT_FOUND,
                  "%.80s: there is no srun here; a cluster's login node has "
                  "Slurm's commands (%s needs none)",
                  name, other);
  getrandom(&key, sizeof key, 0);
  n->key =
      xasprintf("--comment=warpshop-device-%016llx", (unsigned long long)key);
  n->tasks = xasprintf("--ntasks=%d", tasks);
  return err;
}

static enum err end(struct slurm_node **n, enum err err) {
  if (err) {
    slurm_node_free(*n);
    *n = NULL;
  }
  return err;
}

enum err slurm_node_new(const char *name, struct slurm_node **out,
                        struct err_info *e) {
  enum err err = begin(name, 1, "--device virtual:0", out, e);
  struct slurm_node *n = *out;
  if (!err && !(n->program = file_device_program()))
    err = err_set(e, ERR_NOT_FOUND,
                  "the program warpshop-device is not beside this one nor in "
                  "libexec/warpshop; `warpshop doctor` shows what is missing");
  n->spread = "--nodes=1";
  make_words(n, (const char *const[]){n->program, "--stdio", NULL});
  return end(out, err);
}

enum err slurm_tasks_new(const char *wish, int tasks, bool has_gpus,
                         const char *const *program, struct slurm_node **out,
                         struct err_info *e) {
  char *name = xasprintf(NAME "%s%s", *wish ? ":" : "", wish);
  const char *job = getenv("SLURM_JOB_ID");
  enum err err = begin(name, tasks, "scale.Client{n_workers = 4}", out, e);
  // What runs in the job already shares its cores with them, and what it has is no
  // habit of theirs.
  (*out)->spread = job && *job ? "--overlap" : "--no-kill";
  (*out)->cores = "--cpus-per-task=1";
  (*out)->gpus = has_gpus ? "--gpus-per-task=1" : NULL;
  make_words(*out, program);
  free(name);
  return end(out, err);
}

void slurm_node_free(struct slurm_node *n) {
  if (!n)
    return;
  slurm_wish_free(&n->wish);
  free(n->key);
  free(n->program);
  free(n->tasks);
  free(n);
}

const char *slurm_node_device(const struct slurm_node *n) {
  return n->has_gpu ? "cuda:0" : "virtual:0";
}

int64_t slurm_node_limit_s(const struct slurm_node *n) {
  return n->limit_s;
}

const char *const *slurm_node_command(const struct slurm_node *n) {
  return n->words;
}

// ---- How the wait stands ----

// The reasons that one meets most, in plain words. squeue(1), "JOB REASON CODES".
static const struct {
  const char *reason, *says;
} reasons[] = {
    {"Resources", ": what it needs is in use"},
    {"Priority", ": others come first"},
    {"ReqNodeNotAvail", ": a node that it names is not there"},
    {"PartitionTimeLimit", ": more time than one may have there"},
    {"PartitionNodeLimit", ": the partition is not large enough"},
    {"JobHeldUser", ": it is held"},
    {"JobHeldAdmin", ": an administrator holds it"},
    {"BeginTime", ": its time has not come"},
    {"MaxGRESPerAccount", ": the account has as many GPUs as it may"},
    {"QOSMaxGRESPerUser", ": you have as many GPUs as you may"},
    {"QOSMaxJobsPerUserLimit", ": you run as many jobs as you may"},
};

static const char *in_words(const char *reason) {
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (!strcmp(reasons[i].reason, reason))
      return reasons[i].says;
  return "";
}

struct row {
  const char *partition, *state, *reason, *start, *comment;
};

static bool read_row(char *line, struct row *out) {
  out->partition = strsep(&line, "|");
  out->state = strsep(&line, "|");
  out->reason = strsep(&line, "|");
  out->start = strsep(&line, "|");
  out->comment = line;
  return line != NULL;
}

// "13:40" of "2026-11-23T13:40:00".
static void add_start(const char *start, char *text, size_t bytes) {
  const char *hour = strchr(start, 'T');
  size_t used = strlen(text);
  if (hour && strlen(hour) >= 6 && hour[3] == ':')
    snprintf(text + used, bytes - used, "; expected at %.5s", hour + 1);
}

void slurm_node_parse_wait(const char *queue, const char *key, char *text,
                           size_t bytes) {
  char *copy = xstrdup(queue), *again = xstrdup(queue), *rest = copy;
  struct row ours = {0}, row;
  int place = 0, all = 0;
  for (char *line; !ours.state && (line = strsep(&rest, "\n"));)
    if (read_row(line, &row) && !strcmp(row.comment, key))
      ours = row;
  rest = again;
  for (char *line; ours.state && (line = strsep(&rest, "\n"));) {
    if (!read_row(line, &row) || strcmp(row.state, "PD") != 0 ||
        strcmp(row.partition, ours.partition) != 0)
      continue;
    all++;
    if (!strcmp(row.comment, key))
      place = all;
  }
  if (!ours.state) {
    snprintf(text, bytes, "asks Slurm for a node");
  } else if (!place) {
    snprintf(text, bytes, "its node is getting ready");
  } else {
    snprintf(text, bytes, "place %d of %d in %.60s, %.60s%s", place, all,
             ours.partition, ours.reason, in_words(ours.reason));
    add_start(ours.start, text, bytes);
  }
  free(copy);
  free(again);
}

void slurm_node_say_wait(struct slurm_node *n, char *text, size_t bytes) {
  char *queue;
  double now = clock_s();
  if (!n->asked_s || now - n->asked_s >= ASK_AGAIN_S) {
    if (slurm_pending_read(&queue, ASK_LIMIT_S, NULL))
      snprintf(n->wait, sizeof n->wait,
               "waits for a node; squeue does not "
               "answer");
    else
      slurm_node_parse_wait(queue, comment(n), n->wait, sizeof n->wait);
    free(queue);
    n->asked_s = clock_s();
  }
  snprintf(text, bytes, "%s", n->wait);
}
