// SPDX-License-Identifier: Apache-2.0
#include "class/board.h"

#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/open.h"
#include "class/event.h"
#include "class/receipt.h"
#include "grade/input/input.h"

static const char schema[] = "warpshop.leaderboard/1";
enum { MAX_BYTES = 16 << 20 };

static const char *text_at(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

__attribute__((format(printf, 2, 3))) static void
say_odd(const struct board *b, const char *fmt, ...) {
  char text[500];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  char *clean = text_clean(text, strlen(text), sizeof text, 0);
  b->odd(b->context, clean);
  free(clean);
}

// ---- Who is in ----

enum err board_check_name(const char *name, struct err_info *e) {
  size_t n = strlen(name);
  size_t fine =
      strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                   "YZ0123456789 ._-");
  if (n >= 2 && n <= BOARD_NAME_BYTES && fine == n && name[0] != ' ' &&
      name[n - 1] != ' ')
    return ERR_OK;
  return err_set(e, ERR_ARGUMENT,
                 "a name on the board has 2 to %d letters, digits, spaces "
                 "inside, or . _ -",
                 BOARD_NAME_BYTES);
}

struct opting {
  struct board *b;
  json_t *last; // by user id: {ms, name}; an empty name has withdrawn
};

static void take_event(void *context, uid_t uid, const struct event *ev) {
  struct opting *o = context;
  char key[16];
  if (ev->kind != EVENT_BOARD)
    return;
  snprintf(key, sizeof key, "%u", (unsigned)uid);
  const json_t *old = json_object_get(o->last, key);
  if (json_integer_value(json_object_get(old, "ms")) <= ev->time_ms)
    json_object_set_new(o->last, key,
                        json_pack("{s:I,s:s}", "ms", (json_int_t)ev->time_ms,
                                  "name", ev->text));
}

static void pass_odd(void *context, const char *text) {
  (void)context, (void)text; // class watch and class collect tell
}

// Adds the account of a user of the room, by user id.
static void take_account(void *context, const char *name, uid_t uid) {
  const struct passwd *p = getpwuid(uid);
  char key[16];
  (void)name;
  snprintf(key, sizeof key, "%u", (unsigned)uid);
  json_object_set_new(context, key, json_string(p ? p->pw_name : key));
}

// Is it the account of another in the room, on the board or not? Nobody is to be
// taken for somebody.
static bool is_anothers(json_t *accounts, const char *key, const char *name) {
  const char *other;
  json_t *account;
  json_object_foreach(accounts, other, account) {
    if (strcmp(other, key) != 0 &&
        !strcasecmp(json_string_value(account), name))
      return true;
  }
  return false;
}

// Was it taken by somebody else before?
static bool is_taken(const json_t *last, const char *key, const char *name) {
  json_int_t own =
      json_integer_value(json_object_get(json_object_get(last, key), "ms"));
  const char *other;
  json_t *value;
  json_object_foreach((json_t *)last, other, value) {
    json_int_t ms = json_integer_value(json_object_get(value, "ms"));
    if (strcmp(other, key) != 0 && !strcasecmp(text_at(value, "name"), name) &&
        (ms < own || (ms == own && strcmp(other, key) < 0)))
      return true;
  }
  return false;
}

// Pseudonyms by user id, of those who are in: the caller's reference.
static enum err read_names(struct board *b, json_t **out, struct err_info *e) {
  struct opting o = {b, json_object()};
  struct event_reader *reader = event_reader_open(b->room);
  struct event_source to = {take_event, pass_odd, &o};
  enum err err = event_read(reader, &to, e);
  struct err_info why;
  json_t *accounts = json_object();
  struct room_walk walk = {.learner = take_account, .context = accounts};
  const char *key;
  json_t *value;
  *out = json_object();
  if (!err)
    err = room_walk(b->room, &walk, e);
  take_account(accounts, NULL, b->room->owner);
  json_object_foreach(o.last, key, value) {
    const char *name = text_at(value, "name");
    if (!*name)
      continue;
    if (board_check_name(name, &why) || is_anothers(accounts, key, name))
      say_odd(b,
              "%s is not called \"%s\" on the board: it is no name, or "
              "another's",
              key, name);
    else if (is_taken(o.last, key, name))
      say_odd(b, "%s is not called \"%s\" on the board: it is taken", key,
              name);
    else
      json_object_set_new(*out, key, json_string(name));
  }
  event_reader_close(reader);
  json_decref(accounts);
  json_decref(o.last);
  return err;
}

// ---- What counts ----

// User ids by "<learner>\n<exercise>\n<hash>" of what was collected.
static enum err read_hand_ins(const struct board *b, json_t **out,
                              struct err_info *e) {
  struct receipt_book *book;
  enum err err = receipt_book_open(b->room, NULL, &book, e);
  size_t i;
  json_t *o;
  *out = json_object();
  if (err)
    return err;
  json_array_foreach(receipt_book_all(book), i, o) {
    char *key = xasprintf("%s\n%s\n%s", text_at(o, "learner"),
                          text_at(o, "exercise"), text_at(o, "hash"));
    char *uid = xasprintf(
        "%u", (unsigned)json_integer_value(json_object_get(o, "uid")));
    json_object_set_new(*out, key, json_string(uid));
    free(uid);
    free(key);
  }
  receipt_book_close(book);
  return ERR_OK;
}

// The user who handed in what this is the verdict of, or NULL.
static const char *owner_of(const json_t *hand_ins, const json_t *verdict) {
  const json_t *evidence = json_object_get(verdict, "evidence");
  char *key = xasprintf("%s\n%s\n%s", text_at(evidence, "learner"),
                        text_at(verdict, "exercise"),
                        text_at(evidence, "source_sha256"));
  const char *uid = json_string_value(json_object_get(hand_ins, key));
  free(key);
  return uid;
}

// Among which it is ranked: exercise, its version, GPU, driver, profile. NULL: not
// all of it is known.
static json_t *class_of(const json_t *verdict) {
  const json_t *rank = json_object_get(verdict, "rank");
  const json_t *e = json_object_get(rank, "evidence");
  const json_t *versions =
      json_object_get(json_object_get(verdict, "evidence"), "versions");
  static const char *const more[] = {"mig", "ecc", "profile"};
  if (!*text_at(e, "gpu") || !*text_at(e, "driver"))
    return NULL;
  json_t *o =
      json_pack("{s:s,s:s,s:s,s:s}", "exercise", text_at(verdict, "exercise"),
                "version", text_at(versions, "exercise"), "gpu",
                text_at(e, "gpu"), "driver", text_at(e, "driver"));
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
    json_t *value = json_object_get(e, more[i]);
    json_object_set(o, more[i], value ? value : json_null());
  }
  return o;
}

static bool is_ranked(const json_t *verdict) {
  const json_t *rank = json_object_get(verdict, "rank");
  const json_t *interval = json_object_get(rank, "interval");
  return !strcmp(text_at(verdict, "verdict"), "pass") &&
         !strcmp(text_at(rank, "status"), "ranked") &&
         json_number_value(json_object_get(rank, "ratio")) > 0 &&
         json_is_number(json_array_get(interval, 0)) &&
         json_is_number(json_array_get(interval, 1));
}

// ---- Making it ----

// The board of that class of hardware, made where there is none.
static json_t *find_board(json_t *boards, json_t *class) {
  size_t i;
  json_t *one;
  json_array_foreach(boards, i, one) {
    if (json_equal(json_object_get(one, "of"), class))
      return one;
  }
  one = json_pack("{s:O,s:[]}", "of", class, "entries");
  json_array_append_new(boards, one);
  return one;
}

static double ratio_of(const json_t *entry) {
  return json_number_value(json_object_get(entry, "ratio"));
}

// A name's best.
static void add_entry(json_t *board, const char *name, const json_t *rank) {
  json_t *entries = json_object_get(board, "entries"), *entry;
  json_t *fresh = json_pack("{s:s,s:O,s:O}", "name", name, "ratio",
                            json_object_get(rank, "ratio"), "interval",
                            json_object_get(rank, "interval"));
  size_t i, old = SIZE_MAX, at = 0; // the fastest first
  json_array_foreach(entries, i, entry) {
    if (!strcmp(text_at(entry, "name"), name))
      old = i;
    at += ratio_of(entry) >= ratio_of(fresh);
  }
  if (old == SIZE_MAX || old >= at) {
    if (old != SIZE_MAX)
      json_array_remove(entries, old);
    json_array_insert(entries, at, fresh);
  }
  json_decref(fresh);
}

// Who is surely faster stands before: whose intervals overlap share a place.
static int place_of(const json_t *entries, const json_t *entry) {
  double high =
      json_number_value(json_array_get(json_object_get(entry, "interval"), 1));
  int before = 0;
  size_t i;
  json_t *other;
  json_array_foreach((json_t *)entries, i, other) {
    const json_t *interval = json_object_get(other, "interval");
    before += json_number_value(json_array_get(interval, 0)) > high;
  }
  return before + 1;
}

static void place_all(struct board *b, json_t *boards) {
  size_t i, k;
  json_t *one, *entry;
  b->entries = 0;
  json_array_foreach(boards, i, one) {
    json_t *entries = json_object_get(one, "entries");
    json_array_foreach(entries, k, entry) {
      json_object_set_new(entry, "place",
                          json_integer(place_of(entries, entry)));
      b->entries++;
    }
  }
}

static char *path_of(const struct room *r) {
  return xasprintf("%s/return/leaderboard.json", r->folder);
}

static enum err save(struct board *b, json_t *boards, struct err_info *e) {
  place_all(b, boards);
  json_t *o = json_pack("{s:s,s:s,s:O}", "schema", schema, "room",
                        b->room->name, "boards", boards);
  char *text = json_dumps(o, JSON_INDENT(1)), *path = path_of(b->room);
  enum err err = file_write(path, text, strlen(text), 0644, e);
  free(path);
  free(text);
  json_decref(o);
  return err;
}

static void take_verdict(struct board *b, json_t *boards, const json_t *names,
                         const json_t *hand_ins, const json_t *verdict) {
  const char *uid = owner_of(hand_ins, verdict);
  const char *name =
      uid ? json_string_value(json_object_get(names, uid)) : NULL;
  json_t *class = is_ranked(verdict) ? class_of(verdict) : NULL;
  if (!uid)
    say_odd(b, "%s of %s: a verdict on what was never collected",
            text_at(verdict, "exercise"),
            text_at(json_object_get(verdict, "evidence"), "learner"));
  else if (class && name)
    add_entry(find_board(boards, class), name,
              json_object_get(verdict, "rank"));
  json_decref(class);
}

enum err board_publish(struct board *b, const json_t *verdicts,
                       struct err_info *e) {
  json_t *names, *hand_ins, *boards = json_array(), *verdict;
  size_t i;
  enum err err = read_hand_ins(b, &hand_ins, e);
  if (!err) {
    err = read_names(b, &names, e);
    json_array_foreach((json_t *)verdicts, i, verdict) {
      take_verdict(b, boards, names, hand_ins, verdict);
    }
    if (!err)
      err = save(b, boards, e);
    json_decref(names);
  }
  json_decref(hand_ins);
  json_decref(boards);
  return err;
}

// ---- Reading it ----

static json_t *read_board(const struct room *r) {
  struct err_info e;
  char *text = NULL;
  size_t bytes;
  int fd;
  if (open_beneath(r->fd, "return/leaderboard.json", &fd, &e))
    return NULL;
  file_read_open(fd, "leaderboard.json", MAX_BYTES, &text, &bytes, &e);
  json_t *o = text ? json_loads(text, 0, NULL) : NULL;
  free(text);
  return o;
}

enum err board_refresh(struct board *b, struct err_info *e) {
  json_t *o = read_board(b->room), *boards = json_object_get(o, "boards");
  json_t *names, *in = json_object(), *value, *one;
  const char *key;
  size_t i;
  enum err err = o ? read_names(b, &names, e) : ERR_OK;
  if (!o || err) {
    json_decref(o);
    json_decref(in);
    return err;
  }
  json_object_foreach(names, key, value) {
    json_object_set(in, json_string_value(value), value);
  }
  json_array_foreach(boards, i, one) {
    json_t *entries = json_object_get(one, "entries");
    for (size_t k = json_array_size(entries); k-- > 0;)
      if (!json_object_get(in, text_at(json_array_get(entries, k), "name")))
        json_array_remove(entries, k);
  }
  err = save(b, boards, e);
  json_decref(names);
  json_decref(in);
  json_decref(o);
  return err;
}

static void add_clean(struct str *out, const char *text) {
  char *clean = text_clean(text, strlen(text), 100, 0);
  str_add(out, clean);
  free(clean);
}

static void add_board(struct str *out, const json_t *board) {
  const json_t *of = json_object_get(board, "of"), *entry;
  size_t i;
  add_clean(out, text_at(of, "exercise"));
  str_add(out, " on ");
  add_clean(out, text_at(of, "gpu"));
  str_add(out, ", driver ");
  add_clean(out, text_at(of, "driver"));
  str_add(out,
          json_is_true(json_object_get(of, "mig")) ? ", a MIG slice\n" : "\n");
  json_array_foreach(json_object_get(board, "entries"), i, entry) {
    const json_t *interval = json_object_get(entry, "interval");
    const char *name = text_at(entry, "name");
    str_addf(out, "%5d  ",
             (int)json_integer_value(json_object_get(entry, "place")));
    add_clean(out, name);
    str_addf(out, "%*s  %.3f x  (%.3f to %.3f)\n",
             BOARD_NAME_BYTES - (int)strlen(name), "", ratio_of(entry),
             json_number_value(json_array_get(interval, 0)),
             json_number_value(json_array_get(interval, 1)));
  }
}

enum err board_show(const struct room *r, struct str *out, struct err_info *e) {
  json_t *o = read_board(r), *one;
  size_t i;
  if (strcmp(text_at(o, "schema"), schema) != 0) {
    json_decref(o);
    return err_set(e, ERR_NOT_FOUND,
                   "%s has no leaderboard yet; its instructors make it by "
                   "warpshop class leaderboard publish",
                   r->name);
  }
  json_array_foreach(json_object_get(o, "boards"), i, one) {
    if (json_array_size(json_object_get(one, "entries")))
      add_board(out, one);
  }
  str_add(out,
          "Times as fast as the exercise's solution, and the interval that "
          "95 % lie in.\nWho shares a place cannot be told apart.\n");
  json_decref(o);
  return ERR_OK;
}
