// SPDX-License-Identifier: Apache-2.0
#include "class/class.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "class/due.h"
#include "class/return.h"
#include "class/submit.h"

struct list {
  const struct room *room;
  const char *folder;           // the name of the learner's own in it
  json_t *signed_ones, *forged; // by `from`
  struct str *out;
  int count;
};

static const char *text_at(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

// ---- Countersignatures ----

static void keep(const struct room *r, const struct receipt_name *n,
                 const json_t *receipt) {
  struct err_info e;
  char *data = file_xdg(XDG_DATA), *old = NULL;
  if (!data || strchr(r->name, '/') || r->name[0] == '.') {
    free(data);
    return;
  }
  char *folder = xasprintf("%s/receipts/%s", data, r->name);
  char *path = xasprintf("%s/%s-%04d.json", folder, n->exercise, n->number);
  char *text = json_dumps(receipt, JSON_INDENT(2));
  size_t bytes;
  bool is_there =
      !file_read(path, 1 << 16, &old, &bytes, NULL) && !strcmp(old, text);
  if (!is_there && !file_make_folder(folder, &e))
    file_replace(path, text, strlen(text), &e);
  free(old);
  free(text);
  free(path);
  free(folder);
  free(data);
}

static void take_item(void *context, const struct return_item *item) {
  struct list *l = context;
  const char *from = text_at(item->body, "from");
  struct receipt_name n;
  if (strcmp(item->kind, "receipt") != 0)
    return;
  bool is_signed = receipt_is_signed(l->room, item->body);
  json_object_set(is_signed ? l->signed_ones : l->forged, from,
                  (json_t *)item->body);
  const char *file = strrchr(from, '/');
  if (!is_signed || !file || !receipt_parse(file + 1, &n))
    return;
  n.number = (int)json_integer_value(json_object_get(item->body, "number"));
  keep(l->room, &n, item->body);
}

// ---- Lines ----

static void add_line(struct list *l, const struct submitted *one,
                     const char *how) {
  char *when = submit_time(one->time_s);
  str_addf(l->out, "%-20s %4d  %s  %.12s  %s\n", one->name.exercise,
           one->name.number, when, one->hash, how);
  l->count++;
  free(when);
}

static void add_file(void *context, const struct submitted *one) {
  struct list *l = context;
  char *file = receipt_file(&one->name);
  char *from = xasprintf("%s/hand-in/%s", l->folder, file);
  const json_t *receipt = json_object_get(l->signed_ones, from);
  struct submitted shown = *one;
  if (receipt) {
    shown.time_s = json_integer_value(json_object_get(receipt, "time_s"));
    shown.name.number =
        (int)json_integer_value(json_object_get(receipt, "number"));
    bool is_same = !strcmp(text_at(receipt, "hash"), one->hash);
    snprintf(shown.hash, sizeof shown.hash, "%s", text_at(receipt, "hash"));
    add_line(l, &shown,
             is_same ? "countersigned" : "countersigned; the file is another");
    json_object_del(l->signed_ones, from);
  } else {
    add_line(l, one,
             json_object_get(l->forged, from)
                 ? "its countersignature is not the room's"
             : one->hash[0] ? "not collected yet"
                            : "cannot be read");
  }
  free(from);
  free(file);
}

// Those whose file is not here, or is of another home.
static void add_rest(struct list *l) {
  const char *from;
  json_t *receipt;
  json_object_foreach(l->signed_ones, from, receipt) {
    struct submitted one = {
        .time_s = json_integer_value(json_object_get(receipt, "time_s"))};
    snprintf(one.name.exercise, sizeof one.name.exercise, "%s",
             text_at(receipt, "exercise"));
    snprintf(one.hash, sizeof one.hash, "%s", text_at(receipt, "hash"));
    one.name.number =
        (int)json_integer_value(json_object_get(receipt, "number"));
    add_line(l, &one, "countersigned; the file is gone");
  }
}

enum err receipts_add(const struct room_seat *seat, struct str *out,
                      struct err_info *e) {
  const char *slash = strrchr(seat->folder, '/');
  struct room *r;
  int64_t end;
  enum err err = room_open(seat->room, &r, e);
  if (err)
    return err;
  struct list l = {.room = r,
                   .folder = slash ? slash + 1 : seat->folder,
                   .signed_ones = json_object(),
                   .forged = json_object(),
                   .out = out};
  err = return_read(r, 0, &end, take_item, &l, e);
  if (!err)
    err = submit_each(seat->folder, add_file, &l, e);
  if (!err)
    add_rest(&l);
  if (!err && !l.count)
    str_addf(out, "Nothing was handed in yet in %s.\n", r->name);
  json_decref(l.signed_ones);
  json_decref(l.forged);
  room_close(r);
  return err;
}

void receipts_add_submitted(const char *room, const struct submitted *one,
                            struct str *out) {
  char *when = submit_time(one->time_s);
  str_addf(out,
           "Handed in: %s, number %d, at %s by the file server's clock.\n"
           "SHA-256 %s\n"
           "It is countersigned when your instructors collect next.\n",
           one->name.exercise, one->name.number, when, one->hash);
  due_add(room, one->name.exercise, one->time_s, out);
  free(when);
}
