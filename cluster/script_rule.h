// SPDX-License-Identifier: Apache-2.0
// One thing that an exercise asks of a batch script.
#ifndef CLUSTER_SCRIPT_RULE_H
#define CLUSTER_SCRIPT_RULE_H

#include "cluster/script.h"

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
