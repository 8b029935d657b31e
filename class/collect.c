// SPDX-License-Identifier: Apache-2.0
#include "class/collect.h"

#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "base/str.h"
#include "class/event.h"
#include "class/return.h"
#include "grade/input/input.h"

enum { MAX_FILES = 2000 }; // in a learner's folder

struct collecting {
  struct collect *c;
  struct receipt_book *book;
  struct room_secret secret;
  json_t *told;   // "<uid> <file>": the hash that the learner's event says
  json_t *newest; // "<learner>/<exercise>.cu": its receipt
  enum err err;
  struct err_info *e;
};

__attribute__((format(printf, 2, 3))) static void
say_odd(const struct collecting *in, const char *fmt, ...) {
  char text[1000];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  char *clean = text_clean(text, strlen(text), sizeof text, 0);
  in->c->odd(in->c->context, clean);
  free(clean);
}

// ---- Where it goes ----

// A name that is safe as a folder's; to be freed.
static char *learner_name(uid_t uid) {
  const struct passwd *p = getpwuid(uid);
  if (p && p->pw_name[0] != '.' && p->pw_name[0] != '-' && *p->pw_name &&
      !p->pw_name[strspn(p->pw_name,
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789._-@+")])
    return xstrdup(p->pw_name);
  return xasprintf("%u", (unsigned)uid);
}

static const char *text_at(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

// INTO/<learner>/<room>/<exercise>-<NNNN><end>; to be freed.
static char *path_of(const struct collecting *in, const json_t *receipt,
                     const char *room, const char *end) {
  return xasprintf(
      "%s/%s/%s/%s-%04d%s", in->c->into, text_at(receipt, "learner"), room,
      text_at(receipt, "exercise"),
      (int)json_integer_value(json_object_get(receipt, "number")), end);
}

// Is that what the file holds?
static bool holds(const char *path, const char *text, size_t bytes) {
  char *old;
  size_t n;
  if (file_read(path, SOURCE_MAX_BYTES, &old, &n, NULL))
    return false;
  bool is_same = n == bytes && !memcmp(old, text, n);
  free(old);
  return is_same;
}

static enum err write_file(const char *path, const char *text, size_t bytes,
                           struct err_info *e) {
  if (holds(path, text, bytes))
    return ERR_OK;
  char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path));
  enum err err = file_make_folder(folder, e);
  free(folder);
  return err ? err : file_replace(path, text, bytes, e);
}

// ---- One file ----

struct found {
  uid_t uid;
  char *from; // "64001-.../hand-in/vector-add-0003.cu"
  struct receipt_name name;
  char *text;
  size_t bytes;
  char hash[SEED_HEX];
  int64_t time_s;
};

// Reads it whole, and as it stays. False: what is odd was said.
static bool read_found(const struct collecting *in, int fd, struct found *f) {
  struct stat before, after;
  struct err_info e;
  if (fstat(fd, &before) || !S_ISREG(before.st_mode) ||
      before.st_uid != f->uid) {
    say_odd(in, "%s: it is no file of the learner's", f->from);
    return false;
  }
  if (before.st_size > SOURCE_MAX_BYTES) {
    say_odd(in, "%s: it is larger than %d KiB", f->from,
            SOURCE_MAX_BYTES >> 10);
    return false;
  }
  if (file_read_open(fd, f->from, SOURCE_MAX_BYTES, &f->text, &f->bytes, &e)) {
    say_odd(in, "%s", e.text);
    return false;
  }
  bool is_same = !fstat(fd, &after) &&
                 before.st_ctim.tv_sec == after.st_ctim.tv_sec &&
                 before.st_ctim.tv_nsec == after.st_ctim.tv_nsec;
  if (!is_same)
    say_odd(in,
            "%s: it was changed while it was read; the next collection "
            "takes it",
            f->from);
  f->time_s = after.st_ctime;
  sha256_hex(f->text, f->bytes, f->hash);
  return is_same;
}

bool collect_is_possible(int64_t time_s, int64_t now_s, int64_t last_s) {
  return time_s <= now_s + 1 && (!last_s || time_s >= last_s - COLLECT_SLACK_S);
}

static json_t *make_receipt(const struct collecting *in,
                            const struct found *f) {
  int64_t now = receipt_book_now(in->book);
  bool is_possible =
      collect_is_possible(f->time_s, now, receipt_book_last(in->book));
  char *learner = learner_name(f->uid), signature[KEY_SIGNATURE_HEX];
  json_t *o = json_pack(
      "{s:s,s:I,s:s,s:i,s:s,s:s,s:I,s:s,s:s}", "learner", learner, "uid",
      (json_int_t)f->uid, "exercise", f->name.exercise, "number",
      receipt_book_number(in->book, f->uid, f->name.exercise, f->name.number),
      "kind", f->name.kind, "hash", f->hash, "time_s",
      (json_int_t)(is_possible ? f->time_s : now), "time_by",
      is_possible ? "file server" : "collection", "from", f->from);
  char *text = receipt_text(in->c->room, o);
  key_sign(&in->secret, text, signature);
  json_object_set_new(o, "signature", json_string(signature));
  if (!is_possible)
    say_odd(in, "%s: its file's time cannot be: that of this collection counts",
            f->from);
  free(text);
  free(learner);
  return o;
}

// The learner's own words on what was handed in.
static void compare_with_event(const struct collecting *in,
                               const struct found *f) {
  const char *file = strrchr(f->from, '/') + 1;
  char *key = xasprintf("%u %s", (unsigned)f->uid, file);
  const char *hash = json_string_value(json_object_get(in->told, key));
  if (hash && strcmp(hash, f->hash) != 0)
    say_odd(in,
            "%s: it was changed after it was handed in, and counts from "
            "when it was changed",
            f->from);
  free(key);
}

// The source first, then the book: what is in the book has been saved.
static enum err take_new(struct collecting *in, const struct found *f) {
  json_t *receipt = make_receipt(in, f);
  char *path = path_of(in, receipt, ".attempts", f->name.kind);
  compare_with_event(in, f);
  enum err err = write_file(path, f->text, f->bytes, in->e);
  if (!err)
    err = receipt_book_add(in->book, receipt, in->e);
  free(path);
  json_decref(receipt);
  return err;
}

static enum err take_known(struct collecting *in, const struct found *f,
                           const json_t *receipt) {
  if (strcmp(text_at(receipt, "hash"), f->hash) != 0) {
    say_odd(in,
            "%s: it was changed after it was collected; what was collected "
            "counts",
            f->from);
    return ERR_OK;
  }
  char *path = path_of(in, receipt, ".attempts", f->name.kind);
  enum err err = write_file(path, f->text, f->bytes, in->e);
  free(path);
  return err;
}

// True: it is new.
static bool take_file(struct collecting *in, const char *folder, uid_t uid,
                      const char *file) {
  struct found f = {.uid = uid};
  struct err_info e;
  bool is_new = false;
  int fd;
  f.from = xasprintf("%s/hand-in/%s", folder, file);
  if (!receipt_parse(file, &f.name)) {
    say_odd(in, "%s: no hand-in is called so", f.from);
  } else if (open_beneath(in->c->room->fd, f.from, &fd, &e)) {
    say_odd(in, "%s: it is no file of the room's", f.from);
  } else {
    if (read_found(in, fd, &f)) {
      const json_t *receipt = receipt_book_find(in->book, f.from);
      is_new = !receipt;
      in->err = receipt ? take_known(in, &f, receipt) : take_new(in, &f);
      in->c->fresh += is_new;
      in->c->known += !is_new;
    }
    close(fd);
  }
  free(f.text);
  free(f.from);
  return is_new;
}

// ---- All of them ----

static void take_learner(void *context, const char *name, uid_t uid) {
  struct collecting *in = context;
  struct err_info e;
  char *path = xasprintf("%s/hand-in", name);
  int fd = -1, count = 0, fresh = 0;
  DIR *folder = in->err || open_beneath(in->c->room->fd, path, &fd, &e)
                    ? NULL
                    : fdopendir(fd);
  if (!folder && !in->err)
    say_odd(in, "%s: it cannot be looked into", path);
  for (struct dirent *d; folder && !in->err && (d = readdir(folder));) {
    if (d->d_name[0] == '.')
      continue;
    if (++count > MAX_FILES) {
      say_odd(in, "%s: more than %d files: the rest is not looked at", path,
              MAX_FILES);
      break;
    }
    fresh += take_file(in, name, uid, d->d_name);
  }
  in->c->learners += fresh > 0;
  if (folder)
    closedir(folder);
  else if (fd >= 0)
    close(fd);
  free(path);
}

static enum err write_receipt(struct collecting *in, const json_t *receipt,
                              const char *path) {
  char *text = json_dumps(receipt, JSON_INDENT(2));
  enum err err = write_file(path, text, strlen(text), in->e);
  free(text);
  return err;
}

// Without a key to seal it to it stays here, marked, and is tried again.
static enum err keep_back(struct collecting *in, const json_t *receipt,
                          const char *path, const char *why) {
  json_t *marked = json_copy((json_t *)receipt);
  json_object_set_new(marked, "returned", json_false());
  say_odd(in, "%s", why);
  enum err err = write_receipt(in, marked, path);
  json_decref(marked);
  return err;
}

// The countersignature first: where its file lies unmarked, it has gone back.
static enum err give_receipt(struct collecting *in, json_t *receipt) {
  struct err_info e;
  char *text = json_dumps(receipt, JSON_INDENT(2));
  char *path = path_of(in, receipt, ".receipts", ".json");
  enum err err = ERR_OK;
  if (!holds(path, text, strlen(text))) {
    uid_t uid = (uid_t)json_integer_value(json_object_get(receipt, "uid"));
    err = return_append(in->c->room, uid, "receipt", receipt, &e);
    if (!err)
      err = write_receipt(in, receipt, path);
    else if (err == ERR_NOT_FOUND)
      err = keep_back(in, receipt, path, e.text);
    else
      *in->e = e;
  }
  free(path);
  free(text);
  return err;
}

static bool is_newer(const json_t *a, const json_t *b) {
  json_int_t at = json_integer_value(json_object_get(a, "time_s"));
  json_int_t bt = json_integer_value(json_object_get(b, "time_s"));
  return at != bt ? at > bt
                  : json_integer_value(json_object_get(a, "number")) >
                        json_integer_value(json_object_get(b, "number"));
}

static void note_newest(struct collecting *in, json_t *receipt) {
  char *key = xasprintf("%s/%s%s", text_at(receipt, "learner"),
                        text_at(receipt, "exercise"), text_at(receipt, "kind"));
  const json_t *old = json_object_get(in->newest, key);
  if (!old || is_newer(receipt, old))
    json_object_set(in->newest, key, receipt);
  free(key);
}

// Made beside the attempts, so that what a kill leaves is not taken for a hand-in.
static enum err place_whole(struct collecting *in, const json_t *receipt,
                            const char *to, const char *text, size_t bytes) {
  if (holds(to, text, bytes))
    return ERR_OK;
  char *aside = path_of(in, receipt, ".attempts", ".newest");
  enum err err = write_file(aside, text, bytes, in->e);
  if (!err && rename(aside, to))
    err = err_set(in->e, ERR_IO, "%s: %s", to, strerror(errno));
  free(aside);
  return err;
}

static enum err place_newest(struct collecting *in) {
  const char *key;
  json_t *receipt;
  enum err err = ERR_OK;
  json_object_foreach(in->newest, key, receipt) {
    char *text,
        *from = path_of(in, receipt, ".attempts", text_at(receipt, "kind"));
    char *to = xasprintf("%s/%s", in->c->into, key);
    size_t bytes;
    if (file_read(from, SOURCE_MAX_BYTES, &text, &bytes, NULL)) {
      say_odd(in, "%s: its source is neither in the room nor in %s any more",
              text_at(receipt, "from"), in->c->into);
    } else {
      err = place_whole(in, receipt, to, text, bytes);
      free(text);
    }
    free(from);
    free(to);
    if (err)
      break;
  }
  return err;
}

static void take_event(void *context, uid_t uid, const struct event *ev) {
  struct collecting *in = context;
  if (ev->kind != EVENT_SUBMIT)
    return;
  char *key = xasprintf("%u %s", (unsigned)uid, ev->text);
  json_object_set_new(in->told, key, json_string(ev->code));
  free(key);
}

static void pass_odd(void *context, const char *text) {
  say_odd(context, "%s", text);
}

static enum err read_events(struct collecting *in) {
  struct event_reader *reader = event_reader_open(in->c->room);
  struct event_source to = {take_event, pass_odd, in};
  enum err err = event_read(reader, &to, in->e);
  event_reader_close(reader);
  return err;
}

static enum err collect_all(struct collecting *in) {
  struct room_walk walk = {.learner = take_learner, .context = in};
  size_t i;
  json_t *receipt;
  enum err err = read_events(in);
  if (!err)
    err = room_walk(in->c->room, &walk, in->e);
  if (!err)
    err = in->err;
  json_array_foreach(receipt_book_all(in->book), i, receipt) {
    if (!err)
      err = give_receipt(in, receipt);
    note_newest(in, receipt);
  }
  if (!err)
    err = place_newest(in);
  return err ? err : receipt_book_end(in->book, in->e);
}

enum err collect_hand_ins(struct collect *c, struct err_info *e) {
  struct collecting in = {.c = c, .e = e};
  c->fresh = c->known = c->learners = 0;
  enum err err = key_load(c->room, &in.secret, e);
  if (!err)
    err = file_make_folder(c->into, e);
  if (!err)
    err = receipt_book_open(c->room, c->wait, &in.book, e);
  if (!err) {
    in.told = json_object();
    in.newest = json_object();
    err = collect_all(&in);
    json_decref(in.told);
    json_decref(in.newest);
  }
  receipt_book_close(in.book);
  sodium_memzero(&in.secret, sizeof in.secret);
  return err;
}
