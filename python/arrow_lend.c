// SPDX-License-Identifier: Apache-2.0
// Our columns for other libraries, by Arrow's C data interface. Numbers and the codes of
// texts are lent where they lie: their storage lives until the last who has it lets go.
// Bits (which values are there, bools) and dictionaries are made. Numbers on a GPU that
// this process can map are lent there, where the consumer takes device arrays; NaN stands
// in them as it is.
#include "python/python.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/cuda/cuda.h"
#include "lua/bind/frame/frame.h"
#include "python/arrow_cast.h"
#include "python/arrow_check.h"
#include "python/link.h"

enum { MOST_BUFFERS = 4 };

// What an array of ours refers to.
struct lent {
  struct storage *storage; // or NULL
  struct mapping *mapping; // of a device's
  void *made[MOST_BUFFERS];
  const void *buffers[MOST_BUFFERS];
};

// What a column is called and how it is told: its schema can be made again.
struct column_plan {
  char *name;
  struct arrow_form own, form; // as it lies here, and as it is lent
};

struct plan {
  int count;
  bool is_one; // a column by itself, and no struct of columns
  struct column_plan columns[];
};

// ---- Schemas ----

static void release_schema(struct c_schema *s) {
  for (int64_t i = 0; i < s->child_count; i++) {
    if (s->children[i]->release)
      s->children[i]->release(s->children[i]);
    free(s->children[i]);
  }
  if (s->dictionary && s->dictionary->release)
    s->dictionary->release(s->dictionary);
  free(s->dictionary);
  free(s->children);
  free(s->own); // the name
  s->release = NULL;
}

static void make_schema(const char *format, const char *name,
                        struct c_schema *out) {
  char *own = xstrdup(name);
  *out = (struct c_schema){.format = format,
                           .name = own,
                           .flags = C_NULLABLE,
                           .release = release_schema,
                           .own = own};
}

static void column_schema(const struct column_plan *c, struct c_schema *out) {
  make_schema(c->form.format, c->name, out);
  if (!c->form.dictionary)
    return;
  out->dictionary = xcalloc(1, sizeof *out->dictionary);
  make_schema(c->form.dictionary, "", out->dictionary);
}

static void plan_schema(const struct plan *p, struct c_schema *out) {
  if (p->is_one) {
    column_schema(&p->columns[0], out);
    return;
  }
  make_schema("+s", "", out);
  out->flags = 0;
  out->child_count = p->count;
  out->children = xcalloc((size_t)p->count + 1, sizeof *out->children);
  for (int i = 0; i < p->count; i++) {
    out->children[i] = xcalloc(1, sizeof **out->children);
    column_schema(&p->columns[i], out->children[i]);
  }
}

static void free_plan(struct plan *p) {
  for (int i = 0; p && i < p->count; i++)
    free(p->columns[i].name);
  free(p);
}

// ---- Arrays ----

// By the consumer, on any thread; children that it took over are gone already.
static void release_array(struct c_array *a) {
  struct lent *l = a->own;
  for (int64_t i = 0; i < a->child_count; i++) {
    if (a->children[i]->release)
      a->children[i]->release(a->children[i]);
    free(a->children[i]);
  }
  if (a->dictionary && a->dictionary->release)
    a->dictionary->release(a->dictionary);
  free(a->dictionary);
  free(a->children);
  link_take_back(l->mapping); // waits until the consumer's work is done
  shop_drop_storage(l->storage, l->mapping ? SHOP_LOAN : 0);
  for (int i = 0; i < MOST_BUFFERS; i++)
    free(l->made[i]);
  free(l);
  a->release = NULL;
}

static struct lent *make_array(int64_t rows, int buffers, struct c_array *out) {
  struct lent *l = xcalloc(1, sizeof *l);
  *out = (struct c_array){.rows = rows,
                          .buffer_count = buffers,
                          .buffers = l->buffers,
                          .release = release_array,
                          .own = l};
  return l;
}

static void *make_buffer(struct lent *l, int i, int64_t bytes) {
  l->made[i] = try_malloc((size_t)bytes + 1);
  l->buffers[i] = l->made[i];
  return l->made[i];
}

static const char *row_of(const struct arrow_written *c, int64_t row) {
  return (const char *)c->values + row * c->stride;
}

static bool mark_present(const struct arrow_written *c, int64_t rows,
                         struct lent *l, struct c_array *out) {
  uint8_t *bits = make_buffer(l, 0, (rows + 7) / 8);
  if (!bits)
    return false;
  out->missing = arrow_mark_present(c, rows, bits);
  if (!out->missing)
    l->buffers[0] = NULL;
  return true;
}

static bool make_bits(const struct arrow_written *c, int64_t rows,
                      struct lent *l) {
  uint8_t *bits = make_buffer(l, 1, (rows + 7) / 8);
  if (!bits)
    return false;
  shop_count_copied((uint64_t)(rows + 7) / 8);
  memset(bits, 0, (size_t)(rows + 7) / 8);
  for (int64_t i = 0; i < rows; i++) {
    double v = 0;
    if (c->is_object)
      memcpy(&v, row_of(c, i), sizeof v);
    if (c->is_object ? v == 1 : *row_of(c, i) != 0)
      bits[i >> 3] |= (uint8_t)(1 << (i & 7));
  }
  return true;
}

// Where they lie, or, with gaps between them, together.
static bool lend_values(const struct arrow_written *c, int64_t rows,
                        struct storage *s, struct lent *l) {
  size_t bytes = dtype_bytes(c->dtype);
  if (c->stride == (int64_t)bytes || rows < 2) {
    l->storage = storage_ref(s);
    l->buffers[1] = c->values;
    return true;
  }
  shop_count_copied((uint64_t)rows * bytes);
  char *to = make_buffer(l, 1, rows * (int64_t)bytes);
  for (int64_t i = 0; to && i < rows; i++)
    memcpy(to + i * (int64_t)bytes, row_of(c, i), bytes);
  return to != NULL;
}

static int64_t text_bytes(const struct texts *t) {
  int64_t all = 0;
  for (int32_t code = 0; code < texts_count(t); code++) {
    size_t n;
    texts_get(t, code, &n);
    all += (int64_t)n;
  }
  return all;
}

// What becomes of a column.
enum made {
  MADE,
  NO_MEMORY,
  NO_FORM, // not all of its values have the form that is asked for
};

static size_t width_of(const char *format) {
  return format[0] == 'U' ? 8 : 4;
}

static enum made make_dictionary(const struct texts *t, const char *format,
                                 struct c_array *out) {
  int32_t count = texts_count(t);
  int64_t at = 0, all = text_bytes(t);
  size_t width = width_of(format);
  struct lent *l = make_array(count, 3, out);
  if (width == 4 && all > INT32_MAX)
    return NO_FORM;
  char *offsets = make_buffer(l, 1, (count + 1) * (int64_t)width);
  char *bytes = make_buffer(l, 2, all);
  if (!offsets || !bytes)
    return NO_MEMORY;
  for (int32_t code = 0; code < count; code++) {
    size_t n;
    const char *text = texts_get(t, code, &n);
    memcpy(offsets + (size_t)code * width, &at, width);
    memcpy(bytes + at, text, n);
    at += (int64_t)n;
  }
  memcpy(offsets + (size_t)count * width, &at, width);
  return MADE;
}

// ---- Other forms ----

static enum made make_texts(const struct arrow_written *c, int64_t rows,
                            size_t width, struct c_array *out) {
  struct lent *l = out->own;
  int64_t all = arrow_cast_bytes(c, rows);
  if (width == 4 && all > INT32_MAX)
    return NO_FORM;
  shop_count_copied((uint64_t)all + (uint64_t)(rows + 1) * width);
  char *offsets = make_buffer(l, 1, (rows + 1) * (int64_t)width);
  char *bytes = make_buffer(l, 2, all);
  if (!offsets || !bytes)
    return NO_MEMORY;
  out->buffer_count = 3;
  arrow_cast_texts(c, rows, width, offsets, bytes);
  return MADE;
}

// Views of the dictionary's texts, which stand in one buffer.
static enum made make_views(const struct arrow_written *c, int64_t rows,
                            struct c_array *out) {
  struct lent *l = out->own;
  struct c_array words;
  enum made made = make_dictionary(c->texts, "U", &words);
  struct lent *of = words.own;
  int64_t *begins = of->made[1];
  int64_t all = made == MADE ? begins[words.rows] : 0;
  char *views = make_buffer(l, 1, 16 * rows);
  int64_t *sizes = make_buffer(l, 3, sizeof all);
  if (made == MADE && (!views || !sizes))
    made = NO_MEMORY;
  if (made == MADE && all > INT32_MAX)
    made = NO_FORM;
  if (made == MADE) {
    shop_count_copied((uint64_t)rows * 16);
    arrow_cast_views(c, rows, begins, of->made[2], views);
    *sizes = all;
    l->buffers[2] = l->made[2] = of->made[2];
    of->made[2] = NULL;
    out->buffer_count = 4;
  }
  words.release(&words);
  return made;
}

static enum made make_numbers(const struct arrow_written *c, int64_t rows,
                              const char *format, struct lent *l) {
  struct arrow_field f;
  arrow_field_of_format(format, &f);
  int64_t bytes = rows * (int64_t)dtype_bytes(f.dtype);
  void *to = make_buffer(l, 1, bytes);
  if (!to)
    return NO_MEMORY;
  if (!arrow_cast_numbers(c, rows, f.dtype, to))
    return NO_FORM;
  shop_count_copied((uint64_t)bytes);
  return MADE;
}

static enum made column_array(const struct arrow_written *c,
                              const struct column_plan *p, int64_t rows,
                              struct storage *s, struct c_array *out) {
  struct lent *l = make_array(rows, 2, out);
  const char *format = p->form.format;
  enum made made = MADE;
  if (!mark_present(c, rows, l, out))
    return NO_MEMORY;
  if (c->is_object || c->dtype == DTYPE_BOOL)
    return make_bits(c, rows, l) ? MADE : NO_MEMORY;
  if (c->texts && !p->form.dictionary)
    return format[0] == 'v' ? make_views(c, rows, out)
                            : make_texts(c, rows, width_of(format), out);
  if (strcmp(format, p->own.format) != 0)
    made = make_numbers(c, rows, format, l);
  else if (!lend_values(c, rows, s, l))
    made = NO_MEMORY;
  if (made != MADE || !c->texts)
    return made;
  out->dictionary = xcalloc(1, sizeof *out->dictionary);
  return make_dictionary(c->texts, p->form.dictionary, out->dictionary);
}

// Where it lies on a GPU. False: only a copy can leave.
static bool device_array(lua_State *L, const struct array *a,
                         struct c_array *out, int *ordinal) {
  struct mapping *m =
      array_is_contiguous(a) && array_is_device(a) ? link_map(L, a) : NULL;
  if (!m)
    return false;
  struct lent *l = make_array(a->shape[0], 2, out);
  l->mapping = link_lend(m);
  link_unmap(m); // the loan has its own
  l->storage = storage_ref(a->storage);
  l->buffers[1] = link_address(m, a);
  device_storage_lend(device_storage_of(a->storage), false);
  bool is_first = *ordinal < 0;
  if (is_first)
    *ordinal = link_ordinal(m);
  return is_first || *ordinal == link_ordinal(m);
}

// ---- A frame, or a series, as it is lent ----

struct lending {
  struct plan *plan;
  int ordinal;          // of the GPU; -1: on the CPU
  struct c_array array; // of all rows; released, or given to somebody
};

static void free_lending(struct lending *l) {
  if (l->array.release)
    l->array.release(&l->array);
  free_plan(l->plan);
  free(l);
}

// [names, columns, ...] at 1: the array of column i, which the list keeps.
static const struct array *array_of(lua_State *L, int i) {
  lua_rawgeti(L, 2, i + 1);
  lua_getfield(L, -1, "data");
  const struct array *a = array_test(L, -1);
  lua_pop(L, 2);
  return a;
}

static void plan_column(const char *name, size_t bytes, enum dtype t,
                        const struct texts *texts, struct column_plan *p) {
  p->name = xstrndup(name, bytes);
  p->own.format = arrow_format_of(t);
  if (texts)
    p->own.dictionary = text_bytes(texts) > INT32_MAX ? "U" : "u";
  p->form = p->own;
}

struct make {
  bool is_one, was_elsewhere;
  const struct c_schema *asked; // or NULL
  struct lending *made;
  struct arrow_written *list; // NULL: on a GPU
};

static struct lending *make_plan(struct make *m, int count) {
  struct lending *l = m->made = xcalloc(1, sizeof *l);
  l->ordinal = -1;
  l->plan =
      xcalloc(1, sizeof *l->plan + (size_t)count * sizeof l->plan->columns[0]);
  l->plan->count = count;
  l->plan->is_one = m->is_one;
  return l;
}

static enum made fill_column(lua_State *L, struct make *m, int i, int64_t rows,
                             struct c_array *out) {
  const struct array *a = array_of(L, i);
  if (m->list)
    return column_array(&m->list[i], &m->made->plan->columns[i], rows,
                        a->storage, out);
  return device_array(L, a, out, &m->made->ordinal) ? MADE : NO_FORM;
}

static enum made fill_arrays(lua_State *L, struct make *m, int64_t rows) {
  struct lending *l = m->made;
  int count = l->plan->count;
  if (m->is_one)
    return fill_column(L, m, 0, rows, &l->array);
  make_array(rows, 1, &l->array);
  l->array.children = xcalloc((size_t)count + 1, sizeof *l->array.children);
  for (int i = 0; i < count; i++) {
    struct c_array *child = xcalloc(1, sizeof *child);
    enum made made = fill_column(L, m, i, rows, child);
    if (made != MADE) {
      if (child->release)
        child->release(child);
      free(child);
      return made;
    }
    l->array.children[l->array.child_count++] = child;
  }
  return MADE;
}

// ---- What the consumer asks for ----

// The schema that is asked for has other columns: no form of these.
static void refuse_asked(lua_State *L, const struct plan *p,
                         const struct c_schema *asked) {
  bool is_struct = !strcmp(asked->format, "+s");
  if (p->is_one ? is_struct : !is_struct)
    PyErr_Format(PyExc_ValueError, "requested_schema: %s is no %s",
                 p->is_one ? "a series" : "a frame",
                 is_struct ? "struct" : "single column");
  else if (!p->is_one && asked->child_count != p->count)
    PyErr_Format(PyExc_ValueError,
                 "requested_schema: it has %lld columns, and the frame %d",
                 (long long)asked->child_count, p->count);
  for (int i = 0; !p->is_one && !PyErr_Occurred() && i < p->count; i++) {
    const char *name = asked->children[i]->name;
    if (strcmp(name ? name : "", p->columns[i].name) != 0)
      PyErr_Format(PyExc_ValueError,
                   "requested_schema: column %d is \"%s\", and the frame's "
                   "\"%s\"",
                   i, name ? name : "", p->columns[i].name);
  }
  if (PyErr_Occurred())
    shop_fail(L);
}

// Takes the forms that are asked for, where there are all of them.
static void take_forms(const struct make *m) {
  const struct plan *p = m->made->plan;
  bool is_all = m->list != NULL;
  for (int i = 0; i < p->count && is_all; i++)
    is_all = arrow_form_asked(&m->list[i],
                              p->is_one ? m->asked : m->asked->children[i],
                              &m->made->plan->columns[i].form);
  for (int i = 0; i < p->count && !is_all; i++)
    m->made->plan->columns[i].form = p->columns[i].own;
}

// The same once more, as it lies here.
static enum made fill_own(lua_State *L, struct make *m, int64_t rows) {
  struct lending *l = m->made;
  if (l->array.release)
    l->array.release(&l->array);
  for (int i = 0; i < l->plan->count; i++)
    l->plan->columns[i].form = l->plan->columns[i].own;
  return fill_arrays(L, m, rows);
}

// [names, columns, rows]
static void make_lending(lua_State *L, void *context) {
  struct make *m = context;
  int count;
  int64_t rows = lua_tointeger(L, 3);
  m->list = lframe_push_written(L, 1, &count);
  struct lending *l = make_plan(m, count);
  for (int i = 0; i < count; i++) {
    const struct arrow_written *c = &m->list[i];
    plan_column(c->name, c->name_bytes, c->is_object ? DTYPE_BOOL : c->dtype,
                c->texts, &l->plan->columns[i]);
    if (m->was_elsewhere)
      shop_count_copied((uint64_t)rows * dtype_bytes(c->dtype));
  }
  if (m->asked) {
    refuse_asked(L, l->plan, m->asked);
    take_forms(m);
  }
  enum made made = fill_arrays(L, m, rows);
  if (made == NO_FORM)
    made = fill_own(L, m, rows);
  lua_settop(L, 0);
  if (made == MADE)
    return;
  PyErr_NoMemory();
  shop_fail(L);
}

static void drop_made(struct make *m) {
  if (m->made)
    free_lending(m->made);
  m->made = NULL;
}

// [names, columns, rows], or nil: what is made is dropped where it cannot be lent there.
static void make_on_device(lua_State *L, void *context) {
  struct make *m = context;
  int count = lua_istable(L, 2) ? (int)luaL_len(L, 2) : 0;
  if (count) {
    struct lending *l = make_plan(m, count);
    for (int i = 0; i < count; i++) {
      size_t n;
      lua_rawgeti(L, 1, i + 1);
      const char *name = luaL_checklstring(L, -1, &n);
      plan_column(name, n, array_of(L, i)->dtype, NULL, &l->plan->columns[i]);
      lua_pop(L, 1);
    }
    if (m->asked)
      refuse_asked(L, l->plan, m->asked);
    if (fill_arrays(L, m, lua_tointeger(L, 3)) == MADE)
      link_settle(L); // what Lua has queued is done
    else
      drop_made(m);
  }
  lua_settop(L, 0);
}

static void push_to_written(lua_State *L, void *self) {
  value_push(L, self);
  luaL_getmetafield(L, -1, "to_written");
  lua_insert(L, -2);
}

static void push_to_lent(lua_State *L, void *self) {
  value_push(L, self);
  luaL_getmetafield(L, -1, "to_lent");
  lua_insert(L, -2);
}

// Said once; false: that is an error by Python's filters.
static bool say_copy(lua_State *L) {
  static bool was_said;
  char text[200];
  if (lua_isnil(L, -1))
    return true;
  snprintf(text, sizeof text,
           "columns that live on %.40s leave as copies on the CPU",
           lua_tostring(L, -1));
  return shop_warn_copy(&was_said, text);
}

// NULL: a Python error is set.
static struct lending *lend(PyObject *self, bool is_one,
                            const struct c_schema *asked) {
  struct make m = {.is_one = is_one, .asked = asked};
  lua_State *L = shop_enter();
  if (!L)
    return NULL;
  bool is_fine = shop_protect(L, push_to_written, self, 0, 2) &&
                 shop_call(L, 1, 4); // [names, columns, rows, where]
  if (is_fine && !(is_fine = say_copy(L)))
    lua_pop(L, 3);
  if (is_fine) {
    m.was_elsewhere = !lua_isnil(L, -1);
    lua_pop(L, 1);
    is_fine = shop_protect(L, make_lending, &m, 3, 0);
  }
  shop_leave();
  if (!is_fine)
    drop_made(&m);
  return m.made;
}

// The same on a GPU; NULL without a Python error: only a copy on the CPU can leave.
static struct lending *lend_there(PyObject *self, bool is_one,
                                  const struct c_schema *asked) {
  struct make m = {.is_one = is_one, .asked = asked};
  lua_State *L = shop_enter();
  if (!L)
    return NULL;
  bool is_fine = shop_protect(L, push_to_lent, self, 0, 2) &&
                 shop_call(L, 1, 3) &&
                 shop_protect(L, make_on_device, &m, 3, 0);
  shop_leave();
  if (!is_fine)
    drop_made(&m);
  return m.made;
}

// ---- Capsules ----

static void forget_schema(PyObject *capsule) {
  struct c_schema *s = PyCapsule_GetPointer(capsule, C_SCHEMA_NAME);
  if (s->release)
    s->release(s);
  free(s);
}

static void forget_array(PyObject *capsule) {
  struct c_array *a = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
  if (a->release)
    a->release(a);
  free(a);
}

static void forget_stream(PyObject *capsule) {
  struct c_stream *s = PyCapsule_GetPointer(capsule, C_STREAM_NAME);
  if (s->release)
    s->release(s);
  free(s);
}

static PyObject *schema_capsule(const struct plan *p) {
  struct c_schema *s = xcalloc(1, sizeof *s);
  plan_schema(p, s);
  return PyCapsule_New(s, C_SCHEMA_NAME, forget_schema);
}

// The schema in a capsule, which stays its owner's. False: a Python error is set.
static bool open_asked(PyObject *capsule, const struct c_schema **out) {
  struct err_info e;
  *out = NULL;
  if (!capsule || capsule == Py_None)
    return true;
  if (!PyCapsule_IsValid(capsule, C_SCHEMA_NAME)) {
    PyErr_SetString(PyExc_TypeError,
                    "requested_schema is a capsule of a schema of Arrow's");
    return false;
  }
  const struct c_schema *s = PyCapsule_GetPointer(capsule, C_SCHEMA_NAME);
  if (arrow_check_schema(s, &e)) {
    PyErr_Format(PyExc_ValueError, "requested_schema: %s", e.text);
    return false;
  }
  *out = s;
  return true;
}

PyObject *lend_arrow_schema(PyObject *self, bool is_one) {
  struct lending *l = lend(self, is_one, NULL);
  PyObject *schema = l ? schema_capsule(l->plan) : NULL;
  if (l)
    free_lending(l);
  return schema;
}

PyObject *lend_arrow_array(PyObject *self, bool is_one, bool for_device,
                           PyObject *requested) {
  const struct c_schema *asked;
  if (!open_asked(requested, &asked))
    return NULL;
  struct lending *l = for_device ? lend_there(self, is_one, asked) : NULL;
  if (!l && !PyErr_Occurred())
    l = lend(self, is_one, asked);
  if (!l)
    return NULL;
  struct c_device_array *a = xcalloc(1, sizeof *a); // begins with the array
  a->array = l->array;
  l->array.release = NULL;
  a->device = l->ordinal;
  a->kind = l->ordinal < 0 ? C_ON_CPU : C_ON_CUDA;
  PyObject *schema = schema_capsule(l->plan);
  PyObject *array = PyCapsule_New(
      a, for_device ? C_DEVICE_ARRAY_NAME : C_ARRAY_NAME, forget_array);
  free_lending(l);
  return Py_BuildValue("(NN)", schema, array);
}

// ---- Streams: all rows, then the end ----

static int stream_schema(struct c_stream *s, struct c_schema *out) {
  plan_schema(((struct lending *)s->own)->plan, out);
  return 0;
}

static int stream_next(struct c_stream *s, struct c_array *out) {
  struct lending *l = s->own;
  *out = l->array; // none at the second time
  l->array = (struct c_array){0};
  return 0;
}

static const char *stream_error(struct c_stream *s) {
  (void)s;
  return NULL;
}

static void release_stream(struct c_stream *s) {
  free_lending(s->own);
  s->release = NULL;
}

PyObject *lend_arrow_stream(PyObject *self, bool is_one, PyObject *requested) {
  const struct c_schema *asked;
  struct lending *l =
      open_asked(requested, &asked) ? lend(self, is_one, asked) : NULL;
  if (!l)
    return NULL;
  struct c_stream *s = xcalloc(1, sizeof *s);
  *s = (struct c_stream){stream_schema, stream_next, stream_error,
                         release_stream, l};
  return PyCapsule_New(s, C_STREAM_NAME, forget_stream);
}
