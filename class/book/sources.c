// SPDX-License-Identifier: Apache-2.0
#include "class/book/sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "class/book/evidence.h"
#include "class/book/sql.h"

static const char sources_sql[] =
    "SELECT l.name, x.name, s.kind, s.source FROM submission s"
    " JOIN learner l ON l.id = s.learner JOIN exercise x ON x.id = s.exercise"
    " WHERE s.source IS NOT NULL AND ?1 IN (0, s.exercise)"
    " AND s.number = (SELECT min(number) FROM submission o"
    "  WHERE o.exercise = s.exercise AND o.learner = s.learner"
    "  AND o.sha256 = s.sha256 AND o.source IS NOT NULL)"
    " AND (?2 OR NOT EXISTS (SELECT 1 FROM verdict v"
    "  WHERE v.exercise = s.exercise AND v.learner = s.learner"
    "  AND v.sha256 = s.sha256 AND v.earned IS NOT NULL))"
    " ORDER BY s.exercise, s.learner, s.number";

static void write_one(struct book *b, const struct sql_rows *r,
                      const char *folder, int round) {
  struct err_info e;
  const char *text = sql_column(r, 3);
  char *in = xasprintf("%s/%d/%s", folder, round, sql_column(r, 0));
  char *path = xasprintf("%s/%s%s", in, sql_column(r, 1), sql_column(r, 2));
  if (file_make_folder(in, &e) || file_replace(path, text, strlen(text), &e))
    book_fail(b, e.code, "%s", e.text);
  free(path);
  free(in);
}

void sources_write(struct book *b, struct sources *q) {
  int64_t exercise = q->exercise ? exercise_need(b, q->exercise) : 0;
  char *last = xstrdup("");
  int round = 0;
  for (struct sql_rows r =
           sql_rows(b, sources_sql, "ii", exercise, (int64_t)q->is_all);
       sql_next(&r);) {
    char *whose = xasprintf("%s/%s", sql_column(&r, 0), sql_column(&r, 1));
    round = strcmp(whose, last) ? 1 : round + 1;
    write_one(b, &r, q->folder, round);
    q->count++;
    q->rounds = round > q->rounds ? round : q->rounds;
    free(last);
    last = whose;
  }
  free(last);
}
