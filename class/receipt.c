// SPDX-License-Identifier: Apache-2.0
#include "class/receipt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/record.h"
#include "base/str.h"
#include "grade/input/input.h"

// ---- Names ----

bool receipt_is_exercise(const char *name) {
  size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789_-");
  return n && !name[n] && n < RECEIPT_EXERCISE_BYTES;
}

char *receipt_file(const struct receipt_name *n) {
  return xasprintf("%s-%04d%s", n->exercise, n->number, n->kind);
}

bool receipt_parse(const char *file, struct receipt_name *out) {
  const char *dot = strrchr(file, '.'), *dash = strrchr(file, '-');
  if (!dot || !dash || dash > dot || dash - file >= RECEIPT_EXERCISE_BYTES)
    return false;
  out->kind = source_kind(file);
  snprintf(out->exercise, sizeof out->exercise, "%.*s", (int)(dash - file),
           file);
  out->number = atoi(dash + 1);
  if (!out->kind || !receipt_is_exercise(out->exercise) || out->number < 1 ||
      out->number > RECEIPT_MAX_NUMBER)
    return false;
  char *again = receipt_file(out); // one name for each, and no other
  bool is_same = !strcmp(again, file);
  free(again);
  return is_same;
}

// ---- What is signed ----

static const char *text_at(const json_t *o, const char *key) {
  return json_string_value(json_object_get(o, key));
}

static long long number_at(const json_t *o, const char *key) {
  return json_integer_value(json_object_get(o, key));
}

char *receipt_text(const struct room *r, const json_t *o) {
  const char *learner = text_at(o, "learner"), *hash = text_at(o, "hash");
  const char *exercise = text_at(o, "exercise");
  if (!learner || !hash || !exercise || strchr(learner, '\n') ||
      strchr(hash, '\n') || strchr(exercise, '\n'))
    return NULL;
  return xasprintf("warpshop.receipt/1\nroom %s\nlearner %s\nuid %lld\n"
                   "exercise %s\nnumber %lld\nhash %s\ntime_s %lld\n",
                   r->name, learner, number_at(o, "uid"), exercise,
                   number_at(o, "number"), hash, number_at(o, "time_s"));
}

bool receipt_is_signed(const struct room *r, const json_t *receipt) {
  char *text = receipt_text(r, receipt);
  bool is_signed = text && key_verify(r, text, text_at(receipt, "signature"));
  free(text);
  return is_signed;
}

// ---- The book ----

enum { MAX_BOOK_BYTES = 1 << 28 };

struct receipt_book {
  char *path;
  int lock, fd;
  json_t *all, *by_from, *numbers; // numbers: "<uid> <exercise> <number>"
  int64_t now_s, last_s;
};

static char *number_key(uid_t uid, const char *exercise, int number) {
  return xasprintf("%u %s %d", (unsigned)uid, exercise, number);
}

static void take_receipt(struct receipt_book *b, json_t *o) {
  const char *from = text_at(o, "from"), *exercise = text_at(o, "exercise");
  if (!from || !exercise || json_object_get(b->by_from, from))
    return;
  char *key = number_key((uid_t)number_at(o, "uid"), exercise,
                         (int)number_at(o, "number"));
  json_array_append(b->all, o);
  json_object_set(b->by_from, from, o);
  json_object_set_new(b->numbers, key, json_true());
  free(key);
}

static void take_record(void *context, char *payload) {
  struct receipt_book *b = context;
  json_t *o = json_loads(payload, 0, NULL);
  const json_t *begun = json_object_get(o, "collected");
  if (json_is_integer(begun))
    b->last_s = json_integer_value(begun);
  else
    take_receipt(b, o);
  json_decref(o);
}

static enum err io_error(const struct receipt_book *b, struct err_info *e) {
  return err_set(e, ERR_IO,
                 "%s: %s; the room's instructors, its group, may write there",
                 b->path, strerror(errno));
}

// Its times are the server's, where the file lies on one.
static enum err look_at_clock(struct receipt_book *b, struct err_info *e) {
  struct stat st;
  if (futimens(b->lock, NULL) || fstat(b->lock, &st))
    return io_error(b, e);
  b->now_s = st.st_mtime;
  return ERR_OK;
}

static enum err lock_book(struct receipt_book *b, void (*wait)(void),
                          struct err_info *e) {
  b->lock = open(b->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0660);
  struct stat st;
  if (b->lock < 0 || fstat(b->lock, &st) ||
      (st.st_uid == geteuid() && fchmod(b->lock, 0660)))
    return io_error(b, e);
  if (flock(b->lock, LOCK_EX | LOCK_NB)) {
    if (errno != EWOULDBLOCK)
      return io_error(b, e);
    if (wait)
      wait();
    if (flock(b->lock, LOCK_EX))
      return io_error(b, e);
  }
  return ERR_OK;
}

static enum err read_book(struct receipt_book *b, struct err_info *e) {
  char *data;
  size_t bytes;
  enum err err = file_read(b->path, MAX_BOOK_BYTES, &data, &bytes, e);
  if (err)
    return err;
  record_read(data, bytes, take_record, b);
  free(data);
  return record_open(b->path, 0660, &b->fd, e);
}

enum err receipt_book_open(const struct room *r, void (*wait)(void),
                           struct receipt_book **out, struct err_info *e) {
  struct receipt_book *b = xcalloc(1, sizeof *b);
  b->path = xasprintf("%s/instructors/receipts.log", r->folder);
  b->lock = b->fd = -1;
  b->all = json_array();
  b->by_from = json_object();
  b->numbers = json_object();
  enum err err = lock_book(b, wait, e);
  if (!err)
    err = look_at_clock(b, e);
  if (!err)
    err = read_book(b, e);
  if (err) {
    receipt_book_close(b);
    b = NULL;
  }
  *out = b;
  return err;
}

void receipt_book_close(struct receipt_book *b) {
  if (!b)
    return;
  if (b->fd >= 0)
    close(b->fd);
  if (b->lock >= 0)
    close(b->lock);
  json_decref(b->all);
  json_decref(b->by_from);
  json_decref(b->numbers);
  free(b->path);
  free(b);
}

json_t *receipt_book_all(const struct receipt_book *b) {
  return b->all;
}

json_t *receipt_book_find(const struct receipt_book *b, const char *from) {
  return json_object_get(b->by_from, from);
}

int receipt_book_number(const struct receipt_book *b, uid_t uid,
                        const char *exercise, int wanted) {
  for (bool is_taken = true; is_taken; wanted += is_taken) {
    char *key = number_key(uid, exercise, wanted);
    is_taken = json_object_get(b->numbers, key);
    free(key);
  }
  return wanted;
}

static enum err add_record(struct receipt_book *b, const json_t *o,
                           struct err_info *e) {
  char *text = json_dumps(o, JSON_COMPACT);
  enum err err = record_append(b->fd, b->path, text, strlen(text), e);
  free(text);
  return !err && fdatasync(b->fd) ? io_error(b, e) : err;
}

enum err receipt_book_add(struct receipt_book *b, json_t *receipt,
                          struct err_info *e) {
  enum err err = add_record(b, receipt, e);
  if (!err)
    take_receipt(b, receipt);
  return err;
}

int64_t receipt_book_now(const struct receipt_book *b) {
  return b->now_s;
}

int64_t receipt_book_last(const struct receipt_book *b) {
  return b->last_s;
}

enum err receipt_book_end(struct receipt_book *b, struct err_info *e) {
  json_t *o = json_pack("{s:I}", "collected", (json_int_t)b->now_s);
  enum err err = add_record(b, o, e);
  json_decref(o);
  return err;
}
