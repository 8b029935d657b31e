// SPDX-License-Identifier: Apache-2.0
// What a lesson says about itself: the header before its text, and the comments
// of a page that readers do not see.
#ifndef REPL_LESSON_HEADER_H
#define REPL_LESSON_HEADER_H

#include "base/err.h"
#include "repl/lesson/lesson.h"

// Reads the header at the beginning of `text` into l; returns the text behind
// it, `*lines` after the first line. ERR_ARGUMENT in *err names the line.
const char *header_read(struct lesson *l, const char *text, int *lines,
                        enum err *err, struct err_info *e);

// Takes "<!-- teaches: a, b -->" and "<!-- instructor, 4 min: text -->" into
// the page. Other comments are nobody's; a word before a colon that is neither
// is an error, since it is likely to be misspelt.
enum err header_comment(const struct lesson *l, struct lesson_page *page,
                        const char *text, int line, struct err_info *e);

void list_free(struct lesson_list *list);

#endif
