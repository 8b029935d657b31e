// SPDX-License-Identifier: Apache-2.0
#include "class/book/regrade.h"

#include <stdio.h>
#include <stdlib.h>

#include "class/book/evidence.h"
#include "class/book/sql.h"

static const char newest_sql[] =
    "SELECT version FROM verdict WHERE exercise = ? AND earned IS NOT NULL"
    " ORDER BY number DESC LIMIT 1";

static const char not_judged_sql[] =
    "SELECT count(*) FROM (SELECT DISTINCT learner, sha256 FROM submission s"
    " WHERE exercise = ?1 AND NOT EXISTS ("
    "  SELECT 1 FROM verdict v WHERE v.exercise = s.exercise"
    "  AND v.learner = s.learner AND v.sha256 = s.sha256"
    "  AND v.version = ?2))";

void regrade(struct book *b, struct regrade *q) {
  int64_t exercise = exercise_need(b, q->exercise);
  char *version = sql_text(b, newest_sql, "i", exercise);
  snprintf(q->version, sizeof q->version, "%s", version ? version : "");
  q->not_judged =
      (int)sql_number(b, 0, not_judged_sql, "it", exercise, q->version);
  int64_t upto =
      sql_number(b, 0, "SELECT max(number) FROM verdict WHERE exercise = ?",
                 "i", exercise);
  struct book_event event = {.kind = "regrade",
                             .exercise = exercise,
                             .value = json_integer(upto),
                             .reason = q->reason};
  event_insert(b, &event);
  marks_settle(b, exercise, q->reason, q->changed, q->context);
  free(version);
}
