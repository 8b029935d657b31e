// SPDX-License-Identifier: Apache-2.0
// Verdicts that are kept while a batch is judged: a file of records
// (base/record.h), each "{key, verdict}", so that a batch which was killed goes
// on where it was.
#ifndef GRADE_BATCH_JOURNAL_H
#define GRADE_BATCH_JOURNAL_H

#include "grade/batch/batch.h"

// The last verdict that was added under `key`, borrowed; NULL: there is none.
json_t *verdict_journal_find(const struct verdict_journal *j, const char *key);

// On ERR_OK it will be found whatever happens to this process.
enum err verdict_journal_add(struct verdict_journal *j, const char *key,
                             json_t *verdict, struct err_info *e);

#endif
