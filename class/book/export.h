// SPDX-License-Identifier: Apache-2.0
// The book's marks for other programs.
#ifndef CLASS_BOOK_EXPORT_H
#define CLASS_BOOK_EXPORT_H

#include <jansson.h>

#include "class/book/book.h"

// All marks ("warpshop.marks/1"), or those of one exercise and one learner (NULL:
// all). Points are numbers; a mark that there is not is null. Within a transaction.
json_t *export_marks(struct book *b, const char *exercise, const char *learner);

// What goes back with one of these marks: why it is 0, where all came after the
// cutoff, and the comment. Empty where there is neither; to be freed.
char *export_feedback(const json_t *mark);

// The same as the text of a form: nbgrader, canvas, moodle, with what the roster
// knows; or a form of grade/report (JUnit, Gradescope ...) of the verdicts that
// count. To be freed; NULL: the transaction has failed.
char *export_form(struct book *b, const char *form, const char *exercise,
                  const char *learner);

#endif
