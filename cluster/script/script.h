// SPDX-License-Identifier: Apache-2.0
// A batch script as sbatch reads it, without running it: its #SBATCH lines up to the
// first command (what stands below is ignored, without a word), and its commands.
// The order of reading is that of Slurm's own sbatch; slurm.schedmd.com/sbatch.html.
#ifndef CLUSTER_SCRIPT_SCRIPT_H
#define CLUSTER_SCRIPT_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum script_wish {
#define WISH(name, word, kind) SCRIPT_##name,
#include "cluster/script/script_wish.def"
#undef WISH
  SCRIPT_WISHES
};
enum script_value {
  SCRIPT_TEXT,
  SCRIPT_COUNT,
  SCRIPT_SECONDS,
  SCRIPT_MEGABYTES
};

// "gpus"; SCRIPT_WISHES: there is no such word.
const char *script_wish_name(enum script_wish w);
enum script_wish script_wish_find(const char *word);
enum script_value script_wish_value(enum script_wish w);

// "--time, -t": the options of sbatch that make it; to be freed.
char *script_wish_options(enum script_wish w);
// A value as a person reads it: "1:30:00", "4096 MB", "2"; to be freed.
char *script_show_value(enum script_value kind, const char *text,
                        int64_t number);

// "1:30:00" and the other five ways to write a time, "4G", "2": as the kind has
// it. false: it is none.
bool script_read_value(enum script_value kind, const char *text, int64_t *out);

// One option of a #SBATCH line.
struct script_option {
  int line;
  char *written;         // "-t 1:30:00"
  enum script_wish wish; // SCRIPT_WISHES: none that can be asked about
  char *text;            // its value
  int64_t number;        // the same, where its kind is no text
};

struct script_command {
  int line;
  int count;
  char **words;
};

struct script {
  int option_count, late_count;
  struct script_option *options; // that count
  struct script_option *late;    // that are ignored: they stand too low
  int near_count;
  int *near; // lines that look like #SBATCH lines and are none
  int command_count;
  struct script_command *commands;
};

// ERR_ARGUMENT: sbatch would refuse it, with the line in `e` and `*code` a word
// for the reason. `out` is freed with script_free, whatever comes back.
enum err script_read(const char *text, struct script *out, const char **code,
                     struct err_info *e);
void script_free(struct script *s);

// The option that decides a wish: the last one. NULL: it is not made.
const struct script_option *script_find(const struct script *s,
                                        enum script_wish w);
const struct script_option *script_find_late(const struct script *s,
                                             enum script_wish w);
// The first command in which these words stand in this order and without another
// between; NULL: there is none.
const struct script_command *script_find_command(const struct script *s,
                                                 const char *words);

// ---- One thing that an exercise asks of it ----

enum script_relation { SCRIPT_GIVEN, SCRIPT_EQUAL, SCRIPT_LEAST, SCRIPT_MOST };

// "gpus == 2", "account", "runs ./warpshop run sort.lua".
struct script_rule {
  char *text;
  enum script_wish wish; // SCRIPT_WISHES: it asks for a command
  enum script_relation relation;
  char *value;    // that is asked for; a command's words
  int64_t number; // the same, where it is one
  char *before;   // the command that it must stand before; NULL: anywhere
};

// What is asked of the whole.
struct script_task {
  struct script_rule *rules; // as many as there are cases
  bool runs_in_slurm;        // may it be run, by Slurm?
  char *prints;              // that it prints then; NULL: anything
};

// ERR_ARGUMENT says how a rule is written. `out` is freed with script_rule_free.
enum err script_rule_parse(const char *text, struct script_rule *out,
                           struct err_info *e);
void script_rule_free(struct script_rule *r);

#endif
