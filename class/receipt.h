// SPDX-License-Identifier: Apache-2.0
// Hand-ins and their receipts. A hand-in is a file of the learner's,
//   DIR/<uid>-<random>/hand-in/<exercise>-<NNNN>.cu (or .lua, .sh)
// and a receipt, which `class collect` countersigns, an object in JSON:
//   learner, uid, exercise, number, kind (".cu"), hash (SHA-256 of the file),
//   time_s (since 1970), time_by ("file server" or "collection"), from (the file,
//   from the room's folder), signature (Ed25519 by the room's key)
#ifndef CLASS_RECEIPT_H
#define CLASS_RECEIPT_H

#include <jansson.h>

#include "class/key.h"
#include "class/room.h"

enum { RECEIPT_MAX_NUMBER = 999999 };

// False: that is no hand-in's name.
bool receipt_parse(const char *file, struct receipt_name *out);

// What of a receipt is signed; to be freed. NULL: it is none.
char *receipt_text(const struct room *r, const json_t *receipt);
bool receipt_is_signed(const struct room *r, const json_t *receipt);

// ---- The room's own book of them: instructors/receipts.log ----

struct receipt_book; // while it is open, no other process has it open

// ERR_IO: this user is none of the room's instructors. `wait` is called once where
// another process has it open, before it is waited for; NULL: nobody is told.
enum err receipt_book_open(const struct room *r, void (*wait)(void),
                           struct receipt_book **out, struct err_info *e);
void receipt_book_close(struct receipt_book *b); // NULL is fine

// All receipts, in the order in which they were added; the book's.
json_t *receipt_book_all(const struct receipt_book *b);
// That of a file, by its `from`, or NULL.
json_t *receipt_book_find(const struct receipt_book *b, const char *from);
// The number of a new one: `wanted`, or the next that is free for the learner.
int receipt_book_number(const struct receipt_book *b, uid_t uid,
                        const char *exercise, int wanted);
// Adds one, synced to the disk.
enum err receipt_book_add(struct receipt_book *b, json_t *receipt,
                          struct err_info *e);

// By the clock of the room's file server, in seconds since 1970: when the book was
// opened, and when the last collection that came to its end began (0: none).
int64_t receipt_book_now(const struct receipt_book *b);
int64_t receipt_book_last(const struct receipt_book *b);
// This collection came to its end.
enum err receipt_book_end(struct receipt_book *b, struct err_info *e);

#endif
