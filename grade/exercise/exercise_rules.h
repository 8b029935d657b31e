// SPDX-License-Identifier: Apache-2.0
// What an exercise asks beside right results, read from its texts.
#ifndef GRADE_EXERCISE_EXERCISE_RULES_H
#define GRADE_EXERCISE_EXERCISE_RULES_H

#include "grade/exercise/exercise.h"

// Reads "counter <= number" or "counter >= number", of a counter that `kind` has;
// false, and in `e` why, when it is none. The rule owns a copy of the text.
bool efficiency_parse(const char *text, enum exercise_kind kind,
                      struct efficiency_rule *out, struct err_info *e);
void efficiency_rules_free(struct efficiency_rule *rules, int count);

// Reads "shared" or "min_threads = 64"; false, and in `e` why, when it is
// neither. The requirement owns a copy of the text.
bool requires_parse(const char *text, struct requirement *out,
                    struct err_info *e);
void requires_free(struct requirement *list, int count);

#endif
