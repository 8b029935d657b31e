// SPDX-License-Identifier: Apache-2.0
// Others' columns for us, by Arrow's C data interface: of pyarrow, pandas, polars and
// whatever else has __arrow_c_stream__ or __arrow_c_array__, or their twins for devices,
// of which numbers on a GPU stay there. A struct's fields become a
// frame, any other type a series. Numbers that lie in one piece and are all there stay
// where they are, read-only, until the last array of ours that has them is gone; what
// else there is is copied.
#include "python/python.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/frame/frame.h"
#include "lua/bind/state/bind.h"
#include "python/arrow_c.h"
#include "python/arrow_check.h"
#include "python/link.h"

#define LOAN_TYPE "python.arrow"

// All that one object handed over, and what is made of it to read it.
struct loan {
  int refs; // of Lua's value and of each array over it
  struct c_stream stream;
  struct c_device_stream device_stream;
  struct c_schema schema;
  struct c_array *arrays;
  struct c_device_array place; // where the last one is; without the array
  int count, room;
  // A field and its pieces for each column, a dictionary for each piece that has codes.
  int columns;
  struct arrow_field *fields;
  struct arrow_pieces *pieces;
  struct arrow_pieces **dictionaries;
  struct arrow_bytes **views;
  size_t made; // of both: a place for each column of each array
};

// ---- What is given back ----

static void release_all(struct loan *l) {
  for (int i = 0; i < l->count; i++)
    if (l->arrays[i].release)
      l->arrays[i].release(&l->arrays[i]);
  if (l->schema.release)
    l->schema.release(&l->schema);
  if (l->stream.release)
    l->stream.release(&l->stream);
  if (l->device_stream.release)
    l->device_stream.release(&l->device_stream);
}

static void unref_loan(void *context) {
  struct loan *l = context;
  if (--l->refs)
    return;
  if (Py_IsInitialized()) {
    PyGILState_STATE state = PyGILState_Ensure();
    release_all(l);
    PyGILState_Release(state);
  }
  for (size_t i = 0; i < l->made; i++) {
    if (l->dictionaries[i])
      free(l->dictionaries[i]->list);
    free(l->dictionaries[i]);
    free(l->views[i]);
  }
  for (int i = 0; l->pieces && i < l->columns; i++)
    free(l->pieces[i].list);
  free(l->dictionaries);
  free(l->views);
  free(l->pieces);
  free(l->fields);
  free(l->arrays);
  free(l);
}

static int close_loan(lua_State *L) {
  struct loan **box = luaL_checkudata(L, 1, LOAN_TYPE);
  if (*box)
    unref_loan(*box);
  *box = NULL;
  return 0;
}

static struct loan *push_loan(lua_State *L) {
  struct loan **box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = NULL;
  if (luaL_newmetatable(L, LOAN_TYPE)) {
    lua_pushcfunction(L, close_loan);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  *box = xcalloc(1, sizeof **box);
  (*box)->refs = 1;
  return *box;
}

static void fail(lua_State *L, PyObject *type, const char *text) {
  PyErr_SetString(type, text);
  shop_fail(L);
}

static void check(lua_State *L, enum err err, const struct err_info *e) {
  if (err)
    fail(L, PyExc_ValueError, e->text);
}

// ---- What is handed over ----

// Pushes what object.name() gives; false: it has no such method.
static bool push_call(lua_State *L, PyObject *object, const char *name) {
  PyObject *ask = PyObject_GetAttrString(object, name);
  if (!ask) {
    PyErr_Clear();
    return false;
  }
  PyObject *given = PyObject_CallObject(ask, NULL);
  Py_DECREF(ask);
  if (!given)
    shop_fail(L);
  object_push(L, given);
  return true;
}

static void *open_capsule(lua_State *L, PyObject *capsule, const char *name) {
  void *p = capsule ? PyCapsule_GetPointer(capsule, name) : NULL;
  if (!p && !PyErr_Occurred())
    PyErr_SetString(PyExc_TypeError, "this is no capsule of Arrow's");
  if (!p)
    shop_fail(L);
  return p;
}

static struct c_array *add_array(struct loan *l) {
  if (l->count == l->room) {
    l->room = 2 * l->room + 4;
    l->arrays = xrealloc(l->arrays, (size_t)l->room * sizeof *l->arrays);
  }
  struct c_array *a = &l->arrays[l->count];
  memset(a, 0, sizeof *a);
  return a;
}

static void check_stream(lua_State *L, struct loan *l, int status) {
  if (!status)
    return;
  const char *why = NULL;
  if (l->stream.get_last_error)
    why = l->stream.get_last_error(&l->stream);
  else if (l->device_stream.get_last_error)
    why = l->device_stream.get_last_error(&l->device_stream);
  if (!PyErr_Occurred())
    PyErr_Format(PyExc_RuntimeError, "the columns' stream failed: %s",
                 why ? why : strerror(status));
  shop_fail(L);
}

static void take_stream(lua_State *L, PyObject *capsule, struct loan *l) {
  struct c_stream *s = open_capsule(L, capsule, C_STREAM_NAME);
  if (!s->release)
    fail(L, PyExc_ValueError, "this stream was read before");
  l->stream = *s;
  s->release = NULL; // it is ours
  if (!l->stream.get_schema || !l->stream.get_next)
    fail(L, PyExc_ValueError, "this stream gives nothing");
  check_stream(L, l, l->stream.get_schema(&l->stream, &l->schema));
  for (;;) {
    struct c_array *a = add_array(l);
    check_stream(L, l, l->stream.get_next(&l->stream, a));
    if (!a->release)
      return;
    l->count++;
  }
}

// All arrays of a stream are of one kind of device, and of one device here.
static void add_device_array(lua_State *L, struct loan *l,
                             struct c_device_array *a) {
  const struct c_device_array before = l->place;
  bool is_other =
      l->count && (a->kind != before.kind ||
                   (a->kind == C_ON_CUDA && a->device != before.device));
  l->place = *a;
  if (l->count && before.event)
    l->place.event = before.event;
  *add_array(l) = a->array;
  a->array.release = NULL;
  l->count++;
  if (is_other)
    fail(L, PyExc_BufferError,
         "these columns are on several devices: hand over a copy on the CPU");
}

static void take_device_stream(lua_State *L, PyObject *capsule,
                               struct loan *l) {
  struct c_device_stream *s = open_capsule(L, capsule, C_DEVICE_STREAM_NAME);
  if (!s->release)
    fail(L, PyExc_ValueError, "this stream was read before");
  l->device_stream = *s;
  s->release = NULL;
  s = &l->device_stream;
  if (!s->get_schema || !s->get_next)
    fail(L, PyExc_ValueError, "this stream gives nothing");
  check_stream(L, l, s->get_schema(s, &l->schema));
  for (;;) {
    struct c_device_array a = {.kind = s->kind};
    check_stream(L, l, s->get_next(s, &a));
    if (!a.array.release)
      return;
    add_device_array(L, l, &a);
  }
}

static void take_array(lua_State *L, PyObject *both, struct loan *l,
                       bool is_device) {
  if (!PyTuple_Check(both) || PyTuple_Size(both) != 2)
    fail(L, PyExc_TypeError, "__arrow_c_array__ gives two capsules");
  struct c_schema *s = open_capsule(L, PyTuple_GetItem(both, 0), C_SCHEMA_NAME);
  struct c_array *a = // a device's begins with it
      open_capsule(L, PyTuple_GetItem(both, 1),
                   is_device ? C_DEVICE_ARRAY_NAME : C_ARRAY_NAME);
  if (!s->release || !a->release)
    fail(L, PyExc_ValueError, "this array was taken over before");
  l->schema = *s;
  s->release = NULL;
  if (is_device) {
    add_device_array(L, l, (struct c_device_array *)a);
    return;
  }
  *add_array(l) = *a;
  a->release = NULL;
  l->count = 1;
}

// ---- Columns ----

static bool is_frame(const struct loan *l) {
  return !strcmp(l->schema.format, "+s") && !l->schema.dictionary;
}

static const struct c_schema *schema_of(const struct loan *l, int i) {
  return is_frame(l) ? l->schema.children[i] : &l->schema;
}

static void read_field(const struct c_schema *s, struct arrow_field *out) {
  struct arrow_field codes;
  arrow_field_of_format(s->dictionary ? s->dictionary->format : s->format, out);
  out->name = (char *)(s->name ? s->name : "");
  if (!s->dictionary)
    return;
  arrow_field_of_format(s->format, &codes);
  out->codes = codes.dtype;
  bool is_whole = codes.kind == ARROW_NUMBER && dtype_kind(codes.dtype) != 'f';
  if (!is_whole || s->dictionary->dictionary) // codes of codes
    out->kind = ARROW_OTHER;
}

// Where the texts lie; how long the last buffers are is in front of nothing but views.
static void read_texts(const struct c_array *a, const struct arrow_field *f,
                       struct arrow_piece *p, struct arrow_bytes **views) {
  if (f->width) {
    int64_t end = 0;
    if (a->rows)
      memcpy(&end,
             (const char *)a->buffers[1] + (p->first + p->rows) * f->width,
             (size_t)f->width);
    p->text = (struct arrow_bytes){a->buffers[2], end};
    return;
  }
  const char *sizes = a->buffers[a->buffer_count - 1];
  p->more_count = a->rows ? (int)a->buffer_count - 3 : 0;
  *views = xcalloc((size_t)p->more_count + 1, sizeof **views);
  for (int i = 0; i < p->more_count; i++) {
    (*views)[i].data = a->buffers[2 + i];
    memcpy(&(*views)[i].n, sizes + 8 * i, sizeof(*views)[i].n);
  }
  p->more = *views;
}

// Rows `first` to before `first` + `rows` of what the array has behind its own first.
static void read_piece(lua_State *L, const struct c_array *a,
                       const struct arrow_field *f, int batch,
                       struct arrow_piece *p, struct arrow_bytes **views) {
  struct err_info e;
  check(L, arrow_check_column(a, f, batch, &e), &e);
  p->first += a->first;
  if (!a->buffer_count)
    return;
  p->validity = a->missing ? a->buffers[0] : NULL;
  p->values = a->buffers[1];
  if (f->kind == ARROW_TEXT && f->codes == DTYPE_COUNT)
    read_texts(a, f, p, views);
}

static void read_dictionary(lua_State *L, const struct c_array *a,
                            const struct arrow_field *f, struct loan *l,
                            int batch, size_t place) {
  struct arrow_field values = *f;
  values.codes = DTYPE_COUNT;
  struct arrow_pieces *d = l->dictionaries[place] = xcalloc(1, sizeof *d);
  d->list = xcalloc(1, sizeof *d->list);
  d->count = 1;
  d->list[0].rows = a->rows;
  read_piece(L, a, &values, batch, &d->list[0], &l->views[place]);
}

// Column i of array k, whose rows are `of`'s.
static void read_column(lua_State *L, struct loan *l, int i, int k) {
  const struct c_array *whole = &l->arrays[k];
  const struct c_array *a = is_frame(l) ? whole->children[i] : whole;
  const struct arrow_field *f = &l->fields[i];
  struct arrow_piece *p = &l->pieces[i].list[k];
  size_t place = (size_t)k * (size_t)l->columns + (size_t)i;
  *p = (struct arrow_piece){.rows = whole->rows};
  if (is_frame(l))
    p->first = whole->first;
  if (f->kind == ARROW_OTHER)
    return;
  read_piece(L, a, f, k, p, &l->views[place]);
  if (f->codes == DTYPE_COUNT)
    return;
  if (!a->dictionary || !a->dictionary->release) {
    PyErr_Format(PyExc_ValueError,
                 "column \"%s\", batch %d: its dictionary is not there",
                 f->name, k);
    shop_fail(L);
  }
  read_dictionary(L, a->dictionary, f, l, k, place);
  p->dictionary = l->dictionaries[place];
}

static void check_batches(lua_State *L, const struct loan *l) {
  struct err_info e;
  check(L, arrow_check_schema(&l->schema, &e), &e);
  for (int k = 0; k < l->count; k++)
    check(L, arrow_check_batch(&l->arrays[k], &l->schema, k, false, &e), &e);
}

static void read_columns(lua_State *L, struct loan *l) {
  check_batches(L, l);
  size_t columns = is_frame(l) ? (size_t)l->schema.child_count : 1;
  size_t arrays = (size_t)l->count;
  l->fields = xcalloc(columns + 1, sizeof *l->fields);
  l->pieces = xcalloc(columns + 1, sizeof *l->pieces);
  l->dictionaries = xcalloc(columns * arrays + 1, sizeof *l->dictionaries);
  l->views = xcalloc(columns * arrays + 1, sizeof *l->views);
  l->columns = (int)columns;
  l->made = columns * arrays;
  for (int i = 0; i < l->columns; i++) {
    read_field(schema_of(l, i), &l->fields[i]);
    l->pieces[i].list = xcalloc(arrays + 1, sizeof *l->pieces[i].list);
    l->pieces[i].count = l->count;
    for (int k = 0; k < l->count; k++)
      read_column(L, l, i, k);
  }
}

// Over the others' memory; NULL: it is copied.
static struct storage *storage_in(struct loan *l,
                                  const struct arrow_column *c) {
  const void *at = c->rows ? arrow_column_in_place(c) : NULL;
  if (!at)
    return NULL;
  l->refs++;
  return storage_of_others((void *)at, (size_t)c->rows * dtype_bytes(c->dtype),
                           unref_loan, l);
}

static void push_column(lua_State *L, struct loan *l, int i) {
  struct arrow_column c;
  struct err_info e;
  enum err err = arrow_column_begin(&l->fields[i], &l->pieces[i], &c, &e);
  if (err)
    bind_error_info(L, &e);
  struct storage *s = storage_in(l, &c);
  if (!s)
    shop_count_copied((uint64_t)c.rows * dtype_bytes(c.dtype));
  err = lframe_push_arrow_column(L, &c, s, &e);
  if (err)
    bind_error_info(L, &e);
  bind_set_text(L, "name", l->fields[i].name);
  lua_getfield(L, -1, "data");
  array_test(L, -1)->is_readonly = s != NULL;
  lua_pop(L, 1);
}

// ---- On a GPU ----

static void refuse_there(lua_State *L, const struct loan *l, int i,
                         const char *why) {
  PyErr_Format(PyExc_BufferError,
               "column \"%s\" is on cuda:%lld, and %s: hand over a copy on the "
               "CPU",
               schema_of(l, i)->name ? schema_of(l, i)->name : "",
               (long long)l->place.device, why);
  shop_fail(L);
}

// Looks at no memory of it: that is the GPU's.
static void read_there(lua_State *L, struct loan *l, int i, struct view *v) {
  const struct c_array *whole = &l->arrays[0];
  const struct c_array *a = is_frame(l) ? whole->children[i] : whole;
  struct arrow_field f;
  struct err_info e;
  read_field(schema_of(l, i), &f);
  check(L, arrow_check_lengths(a, &f, 0, &e), &e);
  if (f.kind != ARROW_NUMBER || f.codes != DTYPE_COUNT)
    refuse_there(L, l, i, "only numbers can stay there");
  if (a->missing && a->buffers[0])
    refuse_there(L, l, i, "values may be missing, which NaN says there");
  size_t bytes = dtype_bytes(f.dtype);
  int64_t first = a->first + (is_frame(l) ? whole->first : 0);
  *v = (struct view){.dtype = f.dtype,
                     .ndim = 1,
                     .shape = {whole->rows},
                     .first = (char *)a->buffers[1] + first * (int64_t)bytes,
                     .bytes = (size_t)whole->rows * bytes};
  v->low = v->first;
  if (v->bytes && (!a->buffers[1] || (uintptr_t)v->first % bytes))
    refuse_there(L, l, i, "its values do not lie where their type wants them");
}

// Over their memory, which goes back when it is done with.
static void push_there(lua_State *L, struct loan *l, int i) {
  struct view v;
  struct array *a;
  read_there(L, l, i, &v);
  lua_createtable(L, 0, 3);
  if (v.bytes) {
    int64_t step = (int64_t)dtype_bytes(v.dtype);
    struct storage *loan = storage_of_others(v.low, v.bytes, unref_loan, l);
    l->refs++;
    array_push_view(L, loan, DTYPE_U8, 0, NULL, NULL); // owns it
    storage_unref(loan);
    void *const *event = l->place.event;
    struct device_storage *ds =
        link_adopt(L, (int)l->place.device, &v, (void *)LINK_DEFAULT_STREAM,
                   event ? *event : NULL, loan);
    if (!ds)
      refuse_there(L, l, i, "its memory cannot be shared");
    a = array_push_view(L, (struct storage *)ds, v.dtype, 1, v.shape, &step);
    storage_unref((struct storage *)ds);
    lua_remove(L, -2);
  } else {
    a = array_push_host(L, v.dtype, 1, v.shape);
  }
  a->is_readonly = true;
  lua_setfield(L, -2, "data");
  bind_set_text(L, "type", dtype_name(v.dtype));
  const char *name = schema_of(l, i)->name;
  bind_set_text(L, "name", name ? name : "");
}

static void check_there(lua_State *L, struct loan *l) {
  struct err_info e;
  check(L, arrow_check_schema(&l->schema, &e), &e);
  check(L, arrow_check_batch(&l->arrays[0], &l->schema, 0, true, &e), &e);
  l->columns = is_frame(l) ? (int)l->schema.child_count : 1;
}

static void check_place(lua_State *L, const struct loan *l) {
  const struct c_device_array *p = &l->place;
  if (p->kind != C_ON_CPU && p->kind != C_ON_PINNED && p->kind != C_ON_CUDA)
    fail(L, PyExc_BufferError,
         "these columns are on a device that is neither the CPU nor one of "
         "NVIDIA's GPUs: hand over a copy on the CPU");
  if (p->kind != C_ON_CUDA && p->event)
    fail(L, PyExc_BufferError,
         "these columns are in the host's memory and not there yet: hand them "
         "over when they are");
  if (p->kind == C_ON_CUDA && l->count > 1)
    fail(L, PyExc_BufferError,
         "these columns are on a GPU in several batches: hand over one");
}

// ---- All of it ----

// [loan] -> [frame or series]
static void push_all(lua_State *L, struct loan *l, bool is_device) {
  int64_t rows = 0;
  if (is_device && l->count)
    check_place(L, l);
  bool is_there = is_device && l->count && l->place.kind == C_ON_CUDA;
  if (is_there)
    check_there(L, l);
  else
    read_columns(L, l);
  for (int k = 0; k < l->count; k++)
    rows += l->arrays[k].rows;
  lua_createtable(L, l->columns, 0);
  for (int i = 0; i < l->columns; i++) {
    if (is_there)
      push_there(L, l, i);
    else
      push_column(L, l, i);
    lua_rawseti(L, -2, i + 1);
  }
  if (is_frame(l))
    lua_pushinteger(L, rows);
  else
    lua_pushnil(L);
  lframe_push_frame(L);
  lua_pushcfunction(L, close_loan); // its arrays have it now
  lua_pushvalue(L, -3);
  lua_call(L, 1, 0);
  lua_remove(L, -2);
}

// What is sure to be on the CPU comes first.
static const char *const interfaces[] = {
    "__arrow_c_stream__",
    "__arrow_c_array__",
    "__arrow_c_device_stream__",
    "__arrow_c_device_array__",
};
enum { BY_STREAM, BY_ARRAY, BY_DEVICE_STREAM, BY_DEVICE_ARRAY, INTERFACES };

bool arrow_push(lua_State *L, PyObject *object) {
  luaL_checkstack(L, 20, NULL);
  int by = 0;
  while (by < INTERFACES && !push_call(L, object, interfaces[by]))
    by++;
  if (by == INTERFACES)
    return false;
  struct loan *l = push_loan(L);
  PyObject *given = object_test(L, -2);
  switch (by) {
  case BY_STREAM: take_stream(L, given, l); break;
  case BY_DEVICE_STREAM: take_device_stream(L, given, l); break;
  default: take_array(L, given, l, by == BY_DEVICE_ARRAY);
  }
  push_all(L, l, by >= BY_DEVICE_STREAM);
  lua_remove(L, -2); // what was given
  return true;
}
