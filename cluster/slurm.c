// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "base/str.h"

// A controller that is down is given up by Slurm's commands after some 10 s to a
// minute; sbatch tries again for two.
enum { LIMIT_S = 90, SUBMIT_LIMIT_S = 180, USUAL_TASKS = 1001 };

// Variables by which a user's own habits would change what is printed or waited
// for.
static const char *const drops[] = {
    "SQUEUE_",      "SINFO_",       "SLURM_TIME_FORMAT=",
    "SBATCH_WAIT=", "SBATCH_ARRAY", NULL};

// ---- Commands ----

static bool is_program(const char *name) {
  const char *path = getenv("PATH");
  for (const char *at = path ? path : ""; *at;) {
    size_t bytes = strcspn(at, ":");
    char *file = xasprintf("%.*s/%s", (int)bytes, at, name);
    bool is_here = bytes && !access(file, X_OK);
    free(file);
    if (is_here)
      return true;
    at += bytes + (at[bytes] == ':');
  }
  return false;
}

bool slurm_is_here(void) {
  return is_program("sbatch") && is_program("squeue");
}

bool slurm_has_srun(void) {
  return is_program("srun");
}

static enum err ask_within(double limit_s, const char *const *argv, char **out,
                           struct err_info *e) {
  struct output o;
  *out = NULL;
  enum err err = output_of(argv, drops, limit_s, &o, e);
  if (err == ERR_TIMEOUT) {
    err = err_set(e, ERR_NOT_READY, "%s does not answer", argv[0]);
  } else if (err == ERR_NOT_FOUND) {
    err = err_set(e, ERR_NOT_FOUND,
                  "there is no %s here: a cluster's login node has Slurm's "
                  "commands",
                  argv[0]);
  } else if (!err && o.status) {
    char *last = output_last_line(o.err);
    err = err_set(e, ERR_NOT_READY, "%.400s",
                  *last ? last : "Slurm does not answer");
    free(last);
  }
  if (!err) {
    *out = o.out;
    o.out = NULL;
  }
  output_free(&o);
  return err;
}

static enum err ask(const char *const *argv, char **out, struct err_info *e) {
  return ask_within(LIMIT_S, argv, out, e);
}

// ---- What is configured ----

// "1001" of "MaxArraySize            = 1001"; NULL: there is no such line.
static char *config_value(const char *text, const char *name) {
  size_t bytes = strlen(name);
  for (const char *at = text; *at; at += *at == '\n') {
    const char *end = at + strcspn(at, "\n");
    if (!strncmp(at, name, bytes) && strchr(" =", at[bytes])) {
      at += bytes;
      at += strspn(at, " =");
      return at <= end ? xstrndup(at, (size_t)(end - at)) : NULL;
    }
    at = end;
  }
  return NULL;
}

// Is it one of "gpu,shard"?
static bool is_among(const char *list, const char *word) {
  size_t bytes = strlen(word);
  while (*list) {
    size_t n = strcspn(list, ", ");
    if (n == bytes && !strncmp(list, word, n))
      return true;
    list += n + (list[n] != 0);
  }
  return false;
}

void slurm_config_parse(const char *text, struct slurm_config *out) {
  char *most = config_value(text, "MaxArraySize");
  char *gres = config_value(text, "GresTypes");
  long n = most ? strtol(most, NULL, 10) : USUAL_TASKS;
  out->most_tasks = n < 1 ? 1 : n > INT_MAX ? INT_MAX : (int)n;
  out->has_shards = gres && is_among(gres, "shard");
  free(most);
  free(gres);
}

enum err slurm_config_read(struct slurm_config *out, struct err_info *e) {
  static const char *const argv[] = {"scontrol", "show", "config", NULL};
  char *text;
  enum err err = ask(argv, &text, e);
  if (!err)
    slurm_config_parse(text, out);
  free(text);
  return err;
}

// ---- What is queued ----

// States from which a task does not come back; whatever else there is or will
// be counts as living.
static bool is_over(const char *state) {
  static const char over[] = "BF CA CD DL F NF OOM PR RV TO";
  size_t bytes = strlen(state);
  for (const char *at = over; *at; at += strspn(at, " ")) {
    size_t n = strcspn(at, " ");
    if (n == bytes && !strncmp(at, state, n))
      return true;
    at += n;
  }
  return false;
}

// Cuts the next field off at a bar; NULL: the line has none left.
static char *next_field(char **at) {
  char *field = *at, *bar = field ? strchr(field, '|') : NULL;
  *at = bar ? bar + 1 : NULL;
  if (bar)
    *bar = 0;
  return field;
}

static void take_line(char *line, struct slurm_queue *q) {
  char *index = next_field(&line), *state = next_field(&line),
       *comment = next_field(&line), *reason = line;
  if (!reason || !*state)
    return;
  size_t count = (size_t)q->count + 1;
  q->list = xrealloc(q->list, count * sizeof *q->list);
  char *end;
  long n = strtol(index, &end, 10);
  q->list[q->count++] = (struct slurm_task){
      .comment = xstrdup(comment),
      .index = end > index && !*end && n >= 0 && n < INT_MAX ? (int)n : -1,
      .is_live = !is_over(state),
      .runs = !strcmp(state, "R"),
      .state = xstrdup(state),
      .reason = xstrdup(reason)};
}

void slurm_queue_parse(const char *text, struct slurm_queue *out) {
  char *copy = xstrdup(text), *rest = copy;
  *out = (struct slurm_queue){0};
  for (char *line; (line = strsep(&rest, "\n"));)
    take_line(line, out);
  free(copy);
}

enum err slurm_queue_read(struct slurm_queue *out, struct err_info *e) {
  char user[32];
  snprintf(user, sizeof user, "--user=%u", (unsigned)geteuid());
  const char *const argv[] = {"squeue", "--noheader",   "--array",
                              user,     "--states=all", "--all",
                              "-o",     "%K|%t|%k|%r",  NULL};
  char *text;
  *out = (struct slurm_queue){0};
  enum err err = ask(argv, &text, e);
  if (!err)
    slurm_queue_parse(text, out);
  free(text);
  return err;
}

enum err slurm_pending_read(char **out, double limit_s, struct err_info *e) {
  static const char *const argv[] = {
      "squeue", "--noheader", "--array", "--states=PD,CF,R",
      "--all",  "--sort=-p",  "-o",      "%P|%t|%r|%S|%k",
      NULL};
  return ask_within(limit_s, argv, out, e);
}

void slurm_queue_free(struct slurm_queue *q) {
  for (int i = 0; i < q->count; i++) {
    free(q->list[i].comment);
    free(q->list[i].state);
    free(q->list[i].reason);
  }
  free(q->list);
  *q = (struct slurm_queue){0};
}

// ---- What is handed over ----

// What sbatch printed, where it took the job. It refuses with status 1 and a sentence,
// whatever the reason: who needs to know whether the controller is there asks for the
// queue.
static enum err hand_over(const char *const *argv, struct output *o,
                          struct err_info *e) {
  enum err err = output_of(argv, drops, SUBMIT_LIMIT_S, o, e);
  if (err == ERR_TIMEOUT)
    return err_set(e, ERR_NOT_READY, "sbatch does not answer");
  if (err || !o->status)
    return err;
  char *last = output_last_line(o->err);
  err_set(e, ERR_ARGUMENT, "%.600s",
          *last ? last : "sbatch refused without a word");
  free(last);
  return ERR_ARGUMENT;
}

enum err slurm_submit(const char *const *words, struct err_info *e) {
  size_t count = 0;
  while (words[count])
    count++;
  const char **argv = xcalloc(count + 2, sizeof *argv);
  argv[0] = "sbatch";
  memcpy(argv + 1, words, count * sizeof *argv);
  struct output o;
  enum err err = hand_over(argv, &o, e);
  output_free(&o);
  free(argv);
  return err;
}

// sbatch --parsable: "1234" or "1234;cluster".
enum err slurm_submit_script(const char *path, char **id, struct err_info *e) {
  const char *const argv[] = {"sbatch", "--parsable", path, NULL};
  struct output o;
  *id = NULL;
  enum err err = hand_over(argv, &o, e);
  if (!err) {
    char *last = output_last_line(o.out);
    *id = xasprintf("%.*s", (int)strcspn(last, ";\n"), last);
    free(last);
  }
  output_free(&o);
  return err;
}

enum err slurm_partitions_read(char **out, struct err_info *e) {
  static const char *const argv[] = {"sinfo", "--noheader", "-o", "%P|%G|%a|%l",
                                     NULL};
  return ask(argv, out, e);
}
