// SPDX-License-Identifier: Apache-2.0
// Judging of kinds lua and host: one run of a function, and what is said of how it ended.
#ifndef GRADE_JUDGE_JUDGE_LUA_H
#define GRADE_JUDGE_JUDGE_LUA_H

#include "grade/judge/judge_trial.h"

struct judge_lua {
  const char *text, *file;
  bool keeps_output; // what it prints goes to the trial's
};

// Calls the exercise's function in a process of its own. Its results are
// converted to the types of the signature. As runner_run, otherwise.
enum err judge_lua_run(struct trial *t, const struct judge_lua *q,
                       const struct problem *p, struct run_result *r,
                       struct err_info *e);
// The submission's name, for its errors.
const char *judge_lua_file(const struct trial *t);
// What was seen of calls that do not go together: a failure, or a note.
enum verdict_kind judge_lua_notes(struct trial *t, int i,
                                  const struct run_result *r);
// Says what kept a run of case `i` from its results.
enum verdict_kind judge_lua_outcome(struct trial *t, int i,
                                    const struct run_result *r);

#endif
