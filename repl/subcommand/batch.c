// SPDX-License-Identifier: Apache-2.0
// warpshop batch SCRIPT: the batch script that runs it on a cluster, shown, written
// and sent.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "cluster/cluster.h"
#include "repl/shop.h"
#include "repl/tui/tui.h"

enum { MAX_OLD = 1 << 20 };

// ---- What is asked ----

static int say_usage(void) {
  struct str options = STR_INIT;
  job_options(&options);
  shop_say("usage: warpshop batch SCRIPT [OPTION]... [-- ARG...]\n%s"
           "  --dry-run      only show the batch script\n"
           "What stands behind -- is for SCRIPT.",
           options.data);
  str_free(&options);
  return EXIT_USAGE;
}

// Takes "--gpu 1" and "--gpu=1" at argv[*i]; false, and it is said why.
static bool take_option(struct job_script *b, int argc, char **argv, int *i) {
  char *name = xstrdup(argv[*i] + 2), *equal = strchr(name, '=');
  const char *value = equal           ? argv[*i] + 2 + (equal - name) + 1
                      : *i + 1 < argc ? argv[++*i]
                                      : "";
  if (equal)
    *equal = 0;
  struct err_info e;
  enum err err = job_ask(b, name, value, &e);
  if (err)
    shop_say("%s", e.text);
  free(name);
  return !err;
}

static bool read_words(struct job_script *b, int argc, char **argv,
                       bool *is_dry) {
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--")) {
      b->args = argv + i + 1;
      return true;
    }
    if (!strcmp(argv[i], "--dry-run")) {
      *is_dry = true;
    } else if (!strncmp(argv[i], "--", 2)) {
      if (!take_option(b, argc, argv, &i))
        return false;
    } else if (b->script) {
      shop_say("batch sends one script, %s; what is for it stands behind --: "
               "warpshop batch %s -- %s",
               b->script, b->script, argv[i]);
      return false;
    } else {
      b->script = argv[i];
    }
  }
  return true;
}

static bool check_script(const char *script) {
  if (access(script, R_OK)) {
    shop_say("there is no file %s here that can be read", script);
    return false;
  }
  if (str_ends(script, ".sh") || str_ends(script, ".sbatch")) {
    shop_say("%s is a batch script already: sbatch %s sends it. batch takes a "
             "script in Lua, and writes the batch script for it",
             script, script);
    return false;
  }
  return true;
}

// ---- The file ----

// What somebody else wrote under that name stays.
static bool may_write(const char *file) {
  char *old;
  size_t bytes;
  struct err_info e;
  if (access(file, F_OK))
    return true;
  if (file_read(file, MAX_OLD, &old, &bytes, &e)) {
    shop_say("%s", e.text);
    return false;
  }
  bool is_ours = strstr(old, JOB_MARK) != NULL;
  free(old);
  if (!is_ours)
    shop_say("%s is there, and not of warpshop batch: give it another name, or "
             "--dry-run shows the batch script without writing it",
             file);
  return is_ours;
}

// ---- Sending ----

static int say_no_slurm(const char *file, const char *script) {
  shop_say(
      "%s is written and not sent: there is no Slurm here (no sbatch). On "
      "a cluster's login node, in a folder with both files, sbatch %s sends "
      "it; here, warpshop run %s runs the script at once",
      file, file, script);
  return EXIT_MACHINE;
}

static int say_refused(const char *file, enum err err,
                       const struct err_info *e) {
  shop_say("%s", e->text);
  if (err == ERR_ARGUMENT)
    shop_say("%s is written and not sent. sinfo lists the partitions and how "
             "long jobs may take there: --partition, --time; sacctmgr show "
             "associations, or whoever runs the cluster, knows your --account",
             file);
  else
    shop_say("%s is written; squeue --me says whether it was sent all the same",
             file);
  return err == ERR_ARGUMENT ? EXIT_FAILED : EXIT_MACHINE;
}

static int send(const char *file, const struct job_script *b) {
  char *id;
  struct err_info e;
  if (!slurm_is_here())
    return say_no_slurm(file, b->script);
  enum err err = slurm_submit_script(file, &id, &e);
  if (err)
    return say_refused(file, err, &e);
  shop_say("sent as job %s (%s): squeue --me shows whether it waits or runs, "
           "scancel %s takes it back",
           id, file, id);
  free(id);
  return EXIT_PASSED;
}

int sub_batch(struct shop *s, int argc, char **argv) {
  struct job_script b = {0};
  struct err_info e;
  bool is_dry = false;
  if (!read_words(&b, argc, argv, &is_dry))
    return EXIT_USAGE;
  if (!b.script)
    return say_usage();
  if (!check_script(b.script))
    return EXIT_USAGE;
  char *program = file_program();
  b.program = program ? program : "warpshop";
  char *text = job_text(&b), *file = job_file(&b);
  int code = EXIT_PASSED;
  shop_print(s, "%s", text);
  if (!is_dry && !may_write(file)) {
    code = EXIT_USAGE;
  } else if (!is_dry && file_write(file, text, strlen(text), 0666, &e)) {
    shop_say("%s", e.text);
    code = EXIT_MACHINE;
  } else if (!is_dry) {
    code = send(file, &b);
  }
  free(text);
  free(file);
  free(program);
  return code;
}
