// SPDX-License-Identifier: Apache-2.0
// Failing launches as files. Arrays are base64 of their bytes, so that NaN and the
// last bit are kept; the exercise is found by its name where the file is opened.
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "grade/case/case.h"
#include "grade/verdict/verdict.h"

static const char schema[] = "warpshop.case/1";
enum { VARIANT = sodium_base64_VARIANT_ORIGINAL };
#define MOST_BYTES      ((size_t)16 << 20)
#define MOST_FILE_BYTES ((size_t)32 << 20)

bool case_file_is(const char *name) {
  return str_ends(name, ".case");
}

// ---- Writing ----

static json_t *sizes_json(const uint32_t of[3]) {
  return json_pack("[i, i, i]", (int)of[0], (int)of[1], (int)of[2]);
}

static json_t *array_json(const struct case_arg *a, size_t width) {
  size_t bytes = a->count * width;
  size_t room = sodium_base64_encoded_len(bytes, VARIANT);
  char *text = xmalloc(room);
  json_t *shape = json_array();
  sodium_bin2base64(text, room, a->data, bytes, VARIANT);
  for (int d = 0; d < a->ndim; d++)
    json_array_append_new(shape, json_integer(a->shape[d]));
  json_t *o = json_pack("{s:I, s:o, s:s}", "count", (json_int_t)a->count,
                        "shape", shape, "bytes", text);
  free(text);
  return o;
}

// A number as it is and as a whole one: no 64 bits are lost.
static json_t *number_json(const struct case_arg *a) {
  uint64_t bits;
  memcpy(&bits, &a->number, sizeof bits);
  return json_pack("{s:I, s:I}", "integer", (json_int_t)a->integer,
                   "number_bits", (json_int_t)bits);
}

static json_t *changes_json(const struct case_changes *c) {
  json_t *o = json_object();
  for (int k = 0; k < c->count; k++)
    json_object_set_new(o, c->at[k].field, json_integer(c->at[k].value));
  return o;
}

json_t *case_file_json(const struct case_kept *k) {
  const struct case_input *in = k->in;
  char seed[SEED_HEX];
  size_t bytes = 0;
  json_t *args = json_object();
  seed_hex(k->seed, seed);
  for (int i = 0; i < in->arg_count; i++)
    bytes += in->args[i].count * dtype_bytes(k->ex->params[i].dtype);
  for (int i = 0; i < in->arg_count && bytes <= MOST_BYTES; i++) {
    const struct exercise_param *p = &k->ex->params[i];
    json_t *one = in->args[i].data
                      ? array_json(&in->args[i], dtype_bytes(p->dtype))
                      : number_json(&in->args[i]);
    json_object_set_new(one, "type", json_string(p->declared));
    json_object_set_new(args, p->name, one);
  }
  json_t *o = json_pack(
      "{s:s, s:o, s:o, s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:i, s:b}",
      "schema", schema, "exercise", verdict_json_text(k->ex->name), "case",
      verdict_json_text(k->ex->cases[in->index].name), "changes",
      changes_json(&in->changes), "seed", seed, "order", (json_int_t)k->order,
      "submission", verdict_json_text(k->source->name), "code",
      verdict_json_text(k->source->text), "grid", sizes_json(in->grid), "block",
      sizes_json(in->block), "args", args, "shared_bytes",
      (int)in->shared_bytes, "cooperative", in->is_cooperative);
  if (bytes <= MOST_BYTES)
    return o;
  json_decref(o);
  return NULL;
}

// ---- Reading ----

struct reading {
  const char *path;
  const json_t *all;
  struct err_info *e;
};

static enum err fault(const struct reading *r, const char *what) {
  return err_set(r->e, ERR_ARGUMENT, "%s is no case: %s", r->path, what);
}

static const char *text_of(const struct reading *r, const char *name) {
  const char *text = json_string_value(json_object_get(r->all, name));
  return text ? text : "";
}

static bool read_sizes(const struct reading *r, const char *name,
                       uint32_t out[3]) {
  const json_t *list = json_object_get(r->all, name);
  for (size_t i = 0; i < 3; i++) {
    json_int_t v = json_integer_value(json_array_get(list, i));
    if (v < 1 || v > INT32_MAX)
      return false;
    out[i] = (uint32_t)v;
  }
  return true;
}

static bool read_array(const json_t *one, size_t width, struct case_arg *a) {
  const char *text = json_string_value(json_object_get(one, "bytes"));
  const json_t *shape = json_object_get(one, "shape");
  json_int_t count = json_integer_value(json_object_get(one, "count"));
  size_t got = 0, elements = 1;
  if (!text || count < 1 || (size_t)count > MOST_BYTES / width ||
      json_array_size(shape) > EXERCISE_MAX_DIMS)
    return false;
  a->count = (size_t)count;
  a->ndim = (int)json_array_size(shape);
  for (int d = 0; d < a->ndim; d++) {
    json_int_t axis = json_integer_value(json_array_get(shape, (size_t)d));
    if (axis < 1 || axis > count)
      return false;
    a->shape[d] = axis;
    elements *= (size_t)axis;
    if (elements > a->count)
      return false;
  }
  a->data = xmalloc(a->count * width);
  return (!a->ndim || elements == a->count) &&
         !sodium_base642bin(a->data, a->count * width, text, strlen(text), NULL,
                            &got, NULL, VARIANT) &&
         got == a->count * width;
}

// Against the exercise as it is here: it may be another version.
static enum err read_args(const struct reading *r, struct case_file *f) {
  const json_t *args = json_object_get(r->all, "args");
  f->in.arg_count = f->ex->param_count;
  for (int i = 0; i < f->ex->param_count; i++) {
    const struct exercise_param *p = &f->ex->params[i];
    struct case_arg *a = &f->in.args[i];
    const json_t *one = json_object_get(args, p->name);
    const char *type = json_string_value(json_object_get(one, "type"));
    bool is_value = p->direction == PARAM_VALUE;
    if (!type || strcmp(type, p->declared) ||
        is_value == (json_object_get(one, "bytes") != NULL))
      return err_set(r->e, ERR_ARGUMENT,
                     "%s has no \"%s %s\", which exercise %s takes here",
                     r->path, p->declared, p->name, f->ex->name);
    if (is_value) {
      uint64_t bits =
          (uint64_t)json_integer_value(json_object_get(one, "number_bits"));
      a->integer = json_integer_value(json_object_get(one, "integer"));
      memcpy(&a->number, &bits, sizeof bits);
    } else if (!read_array(one, dtype_bytes(p->dtype), a)) {
      return err_set(r->e, ERR_ARGUMENT, "%s: the elements of %s are damaged",
                     r->path, p->name);
    }
  }
  return ERR_OK;
}

static bool read_changes(const struct reading *r, struct case_changes *out) {
  const json_t *changes = json_object_get(r->all, "changes");
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)changes, name, value) {
    if (out->count == CASE_MAX_CHANGES || strlen(name) >= CASE_FIELD_BYTES)
      return false;
    strcpy(out->at[out->count].field, name);
    out->at[out->count++].value = json_integer_value(value);
  }
  return true;
}

// The case alone is left of the exercise: the others are not judged.
static bool keep_case(struct case_file *f, const char *name) {
  struct exercise *ex = f->ex;
  for (int i = 0; i < ex->case_count; i++) {
    if (strcmp(ex->cases[i].name, name) || ex->cases[i].is_hidden)
      continue;
    struct exercise_case one = ex->cases[i];
    ex->cases[i] = ex->cases[0];
    ex->cases[0] = one;
    f->in.index = i;
    f->others = ex->case_count - 1;
    ex->case_count = 1;
    return true;
  }
  return false;
}

static enum err read_case(const struct reading *r, const char *exercise,
                          struct case_file *f) {
  const char *seed = text_of(r, "seed"), *code = text_of(r, "code");
  size_t bytes = 0;
  char *refused = NULL;
  if (strcmp(text_of(r, "schema"), schema))
    return fault(r, "its schema is not warpshop.case/1");
  enum err err =
      exercise_load(exercise ? exercise : text_of(r, "exercise"), &f->ex, r->e);
  if (err)
    return err;
  if (sodium_hex2bin(f->seed.bytes, SEED_BYTES, seed, strlen(seed), NULL,
                     &bytes, NULL) ||
      bytes != SEED_BYTES)
    return fault(r, "its seed is damaged");
  if (!read_sizes(r, "grid", f->in.grid) ||
      !read_sizes(r, "block", f->in.block) || !read_changes(r, &f->in.changes))
    return fault(r, "grid, block or changes are damaged");
  f->in.shared_bytes =
      (uint32_t)json_integer_value(json_object_get(r->all, "shared_bytes"));
  f->in.is_cooperative = json_is_true(json_object_get(r->all, "cooperative"));
  f->order = (uint64_t)json_integer_value(json_object_get(r->all, "order"));
  err = read_args(r, f);
  if (!err && !keep_case(f, text_of(r, "case")))
    err = err_set(r->e, ERR_NOT_FOUND, "exercise %s has no visible case \"%s\"",
                  f->ex->name, text_of(r, "case"));
  if (!err)
    source_from_text(text_of(r, "submission"), code, strlen(code), &f->source,
                     &refused);
  if (refused)
    err = fault(r, refused);
  free(refused);
  return err;
}

enum err case_file_open(const char *path, const char *exercise,
                        struct case_file *out, struct err_info *e) {
  char *text = NULL;
  size_t bytes;
  *out = (struct case_file){0};
  enum err err = file_read(path, MOST_FILE_BYTES, &text, &bytes, e);
  if (err)
    return err;
  json_t *all = json_loads(text, 0, NULL);
  struct reading r = {path, all, e};
  err = json_is_object(all) ? read_case(&r, exercise, out)
                            : fault(&r, "it is no JSON");
  json_decref(all);
  free(text);
  if (err)
    case_file_close(out);
  return err;
}

void case_file_close(struct case_file *f) {
  if (f->ex)
    f->ex->case_count += f->others;
  exercise_free(f->ex);
  source_free(&f->source);
  case_input_free(&f->in);
  *f = (struct case_file){0};
}
