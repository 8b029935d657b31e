// SPDX-License-Identifier: Apache-2.0
// Where we are: a login node, a job.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "cluster/cluster.h"
#include "cluster/script/script.h"

enum { MOST_GPUS = 64, HOUR_S = 3600 };

bool login_has_gpu(void) {
  for (int i = 0; i < MOST_GPUS; i++) {
    char path[32];
    snprintf(path, sizeof path, "/dev/nvidia%d", i);
    if (!access(path, F_OK))
      return true;
  }
  return false;
}

bool login_is_here(void) {
  return !getenv("SLURM_JOB_ID") && !login_has_gpu() && slurm_is_here();
}

// A partition with GPUs that takes jobs.
struct partition {
  char name[64];
  bool is_usual; // jobs go there that name none
  int64_t limit_s;
};

static bool has_gpus(const char *gres) {
  for (const char *at = gres; *at; at += *at == ',') {
    size_t n = strcspn(at, ",");
    if (n >= 3 && !strncmp(at, "gpu", 3) && strchr(":(,", at[3]))
      return true;
    at += n;
  }
  return false;
}

static bool read_line(char *line, struct partition *out) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  char *name = strsep(&line, "|"), *gres = strsep(&line, "|"),
       *available = strsep(&line, "|"), *limit = strsep(&line, "|");
  if (!limit || strcmp(available, "up") || !has_gpus(gres))
    return false;
  size_t bytes = strspn(name, letters);
  out->is_usual = !strcmp(name + bytes, "*");
  if (!bytes || bytes >= sizeof out->name || (name[bytes] && !out->is_usual))
    return false;
  snprintf(out->name, sizeof out->name, "%.*s", (int)bytes, name);
  // "infinite" and "n/a" are no limits.
  if (!script_read_value(SCRIPT_SECONDS, limit, &out->limit_s))
    out->limit_s = HOUR_S;
  return true;
}

char *login_line_of(const char *partitions) {
  char *copy = xstrdup(partitions), *rest = copy;
  struct partition best = {0}, one;
  for (char *line; (line = strsep(&rest, "\n"));)
    if (read_line(line, &one) && (!*best.name || one.is_usual))
      best = one;
  free(copy);
  if (!*best.name)
    return NULL;
  int64_t s = best.limit_s < HOUR_S ? best.limit_s : HOUR_S;
  char *where =
      best.is_usual ? xstrdup("") : xasprintf("--partition=%s ", best.name);
  char *line = xasprintf("srun %s--gres=gpu:1 --time=%lld:%02lld:%02lld --pty "
                         "warpshop",
                         where, (long long)s / 3600, (long long)s / 60 % 60,
                         (long long)s % 60);
  free(where);
  return line;
}

char *login_line(void) {
  struct err_info e;
  char *partitions, *line = NULL;
  if (!slurm_partitions_read(&partitions, &e))
    line = login_line_of(partitions);
  free(partitions);
  return line;
}

char *login_job(void) {
  const char *id = getenv("SLURM_JOB_ID"), *ends = getenv("SLURM_JOB_END_TIME");
  if (!id || !*id || id[strspn(id, "0123456789")])
    return NULL;
  long long end_s = ends ? strtoll(ends, NULL, 10) : 0;
  long long left_s = end_s - (long long)time(NULL);
  return end_s <= 0    ? xstrdup(id)
         : left_s <= 0 ? xasprintf("%s, its time is over", id)
                       : xasprintf("%s, %lld min left", id, left_s / 60);
}
