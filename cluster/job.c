// SPDX-License-Identifier: Apache-2.0
// A batch script, written: what is asked in words becomes #SBATCH lines, each below a
// line that explains it, and the one command of the job.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "cluster/cluster.h"
#include "cluster/script/script.h"

static const struct {
  const char *name, *option;
  enum script_value kind;
  const char *usual, *what;
} asks[] = {
#define ASK(name, option, kind, usual, what) {name, option, kind, usual, what},
#include "cluster/job.def"
#undef ASK
};
enum { ASKS = sizeof asks / sizeof *asks };
_Static_assert((int)ASKS == JOB_ASKS, "cluster.h has their number");

static int find(const char *name) {
  for (int i = 0; i < ASKS; i++)
    if (!strcmp(asks[i].name, name))
      return i;
  return -1;
}

// ---- What is asked ----

static enum err refuse(const char *name, struct err_info *e) {
  struct nearest near = nearest_to(name);
  char hint[NEAREST_HINT];
  struct str all = STR_INIT;
  for (int i = 0; i < ASKS; i++) {
    nearest_try(&near, asks[i].name, strlen(asks[i].name));
    str_addf(&all, "%s--%s", i ? " " : "", asks[i].name);
  }
  err_set(e, ERR_ARGUMENT,
          "batch has no option --%.60s%s; there are %s --dry-run; what is "
          "for the script itself stands behind --",
          name, nearest_hint(hint, &near, "--", "?"), all.data);
  str_free(&all);
  return ERR_ARGUMENT;
}

// Words of a line for sbatch, which ends them at blanks and reads quotes.
static bool is_plain(const char *text) {
  return *text && !text[strcspn(text, " \t\n\r\"'\\#`$")];
}

static enum err check(int row, const char *value, struct err_info *e) {
  static const char *const forms[] = {
      [SCRIPT_TEXT] = "a word without blanks",
      [SCRIPT_COUNT] = "a whole number",
      [SCRIPT_SECONDS] = "a time such as 00:10:00",
      [SCRIPT_MEGABYTES] = "a size such as 8G",
  };
  int64_t number;
  enum script_value kind = asks[row].kind;
  if (is_plain(value) && script_read_value(kind, value, &number))
    return ERR_OK;
  return err_set(e, ERR_ARGUMENT, "--%s takes %s, not \"%.80s\"",
                 asks[row].name, forms[kind], value);
}

enum err job_ask(struct job_script *b, const char *name, const char *value,
                 struct err_info *e) {
  int row = find(name);
  if (row < 0)
    return refuse(name, e);
  enum err err = check(row, value, e);
  if (!err)
    b->values[row] = value;
  return err;
}

// ---- The script ----

// A word for a shell.
static void add_word(struct str *out, const char *word) {
  static const char safe[] = "abcdefghijklmnopqrstuvwxyz0123456789_-+=:,./@%"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  str_add_char(out, ' ');
  if (*word && !word[strspn(word, safe)]) {
    str_add(out, word);
    return;
  }
  str_add_char(out, '\'');
  for (; *word; word++)
    if (*word == '\'')
      str_add(out, "'\\''");
    else
      str_add_char(out, *word);
  str_add_char(out, '\'');
}

// Of "runs/train.lua": "train", of letters that a file's name and sbatch take.
static char *stem(const char *path) {
  const char *slash = strrchr(path, '/');
  char *name = xstrdup(slash ? slash + 1 : path), *dot = strrchr(name, '.');
  if (dot && dot > name)
    *dot = 0;
  for (char *p = name; *p; p++)
    if (strchr(" \t\"'\\#`$%", *p))
      *p = '_';
  return name;
}

static void add_ask(struct str *out, int row, const char *value) {
  str_addf(out, "# %s\n#SBATCH %s%s\n", asks[row].what, asks[row].option,
           value);
}

char *job_text(const struct job_script *b) {
  struct str out = STR_INIT;
  char *name = stem(b->script);
  bool is_array = b->values[find("array")];
  char *output = xasprintf("%s-%s.out", name, is_array ? "%A_%a" : "%j");
  str_add(&out, "#!/bin/bash\n" JOB_MARK "\n");
  for (int i = 0; i < ASKS; i++) {
    const char *value = b->values[i] ? b->values[i] : asks[i].usual;
    if (!*value && !strcmp(asks[i].name, "name"))
      value = name;
    if (!*value && !strcmp(asks[i].name, "output"))
      value = output;
    bool is_none = !strcmp(asks[i].name, "gpu") && !strcmp(value, "0");
    if (*value && !is_none)
      add_ask(&out, i, value);
  }
  str_add(&out,
          "\n# The job begins in the folder in which sbatch was called, on "
          "its first node.\n");
  str_add(&out, "echo \"job $SLURM_JOB_ID on $(hostname)\"\n");
  if (b->values[find("cpus")])
    str_add(&out, "# srun does not take it over by itself.\n"
                  "export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK\n");
  str_add(&out, "srun");
  add_word(&out, b->program);
  str_add(&out, " run");
  add_word(&out, b->script);
  for (char *const *word = b->args; word && *word; word++)
    add_word(&out, *word);
  str_add_char(&out, '\n');
  free(output);
  free(name);
  return str_take(&out);
}

char *job_file(const struct job_script *b) {
  char *name = stem(b->script);
  char *file = xasprintf("%s.sbatch", name);
  free(name);
  return file;
}

void job_options(struct str *out) {
  for (int i = 0; i < ASKS; i++)
    str_addf(out, "  --%-12s %s%s%s%s\n", asks[i].name, asks[i].what,
             *asks[i].usual ? " (" : "", asks[i].usual,
             *asks[i].usual ? ")" : "");
}
