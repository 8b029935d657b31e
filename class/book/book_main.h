// SPDX-License-Identifier: Apache-2.0
// What the commands of `class book` share; its files book_main*.c alone print.
#ifndef CLASS_BOOK_BOOK_MAIN_H
#define CLASS_BOOK_BOOK_MAIN_H

#include "class/book/mark.h"

struct book_call {
  const struct book_return *back;
  struct book *book; // open; of `new`, too
  int count;         // words beside options
  char **words;
  // By option's letter: its value, "" where it takes none; NULL: not given.
  const char *options[128];
};

// Runs `work` in a transaction and ends it, taking everything back for --dry-run.
// What went wrong is said; the exit code. `work` prints what it did or would do.
int book_call_write(const struct book_call *call,
                    void (*work)(const struct book_call *call));
// Says the error; the exit code that it means.
int book_call_fail(enum err err, const struct err_info *e);
// "anna: vector-add: 6 of 10 -> 8 of 10", of marks that became others. For
// mark_tell; `context` is a struct book_changes.
struct book_changes {
  int count; // marks that became others
};
void book_call_changed(void *context, const struct mark_change *change);
// Prints cleaned text with a line's end.
void book_call_print(const char *text);

#define COMMAND(name, function, least, most, options, args, what)              \
  int function(const struct book_call *call);
#include "class/book/command.def"
#undef COMMAND

#endif
