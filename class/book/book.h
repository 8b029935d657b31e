// SPDX-License-Identifier: Apache-2.0
// A gradebook: one SQLite file on the instructor's own disk, with one writer at a
// time. What happens is added and never changed; a mark is what follows from it
// (mark.h).
#ifndef CLASS_BOOK_BOOK_H
#define CLASS_BOOK_BOOK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

// ---- For the rooms of a class ----

// What the book is handed (class/book_room.c), as it knows no room and no course: how
// marks, comments and deadlines get to learners, and which exercises there are.
struct book_return {
  enum err (*open)(const char *folder, void **room, struct err_info *e);
  // Gives `body` to that learner alone; the same a second time changes nothing.
  // `kind` is "mark" or "due". ERR_NOT_FOUND: the room has no such learner.
  enum err (*give)(void *room, const char *learner, const char *kind,
                   const json_t *body, struct err_info *e);
  void (*close)(void *room);
  // Has a course an exercise of that name? False: a sentence.
  bool (*has_exercise)(const char *name, struct err_info *e);
};

// `warpshop class book`, which prints: argv[0] is "book"; the result is the exit
// code. `back` leads to the rooms.
int book_main(int argc, char **argv, const struct book_return *back);

// Of a body of kind "due" that the book has given (return_bodies). The sentence of
// it, without an end: "due 2026-11-20 18:00:00 +0100, your own deadline".
void book_describe_due(const json_t *body, struct str *out);
// A line that says so, and what being handed in at `time_s` costs.
void book_add_late(const json_t *body, int64_t time_s, struct str *out);

// ---- The file ----

struct book;

struct book_open {
  const char *path;
  const char *author; // of what is added; NULL: the user's name
  bool is_new;        // make it; a file that is there is an error
  int wait_ms;        // for another writer; 0: 30 s
};

// ERR_NOT_FOUND: there is none. ERR_ARGUMENT: it is something else, or of a newer
// warpshop, or others may read it, or it lies on a file system of another machine.
// ERR_IO: the system's reason. An older book is brought to this version.
enum err book_open(const struct book_open *q, struct book **out,
                   struct err_info *e);
void book_close(struct book *b); // NULL is fine

// ---- Reading and writing (sql.h has the statements) ----

// One transaction. Between the two a failed statement makes all later ones do
// nothing, and book_end take everything back and tell of the first. ERR_NOT_READY:
// another has been writing for as long as this one would wait.
void book_begin(struct book *b, bool is_writing);
// On ERR_OK everything is on the disk and stays there, whatever happens.
enum err book_end(struct book *b, struct err_info *e);
// The same, but takes everything back also where nothing failed.
enum err book_undo(struct book *b, struct err_info *e);
// What was added failed for a reason that is not the file's: the transaction ends
// with this. The first one counts. Returns `code`.
enum err book_fail(struct book *b, enum err code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool book_has_failed(const struct book *b);
const char *book_path(const struct book *b);
const char *book_author(const struct book *b);
struct sqlite3;
struct sqlite3 *book_database(const struct book *b); // for sql.c

// ---- The file as a whole ----

// A copy at `path`, which is whole or not there (SQLite's online backup). An earlier
// copy is replaced; ERR_ARGUMENT: the book itself is there, or what is no gradebook.
enum err book_backup(struct book *b, const char *path, struct err_info *e);
// May a table or a report be written to `path`? ERR_ARGUMENT: a gradebook is there.
enum err book_check_target(const char *path, struct err_info *e);

// Goes through the file; `say` gets a sentence for each thing that is wrong.
enum err book_check(struct book *b, void (*say)(void *context, const char *),
                    void *context, struct err_info *e);

// Writes the file anew, without a byte of what was removed.
enum err book_vacuum(struct book *b, struct err_info *e);

#endif
