// SPDX-License-Identifier: Apache-2.0
// What the files of Python's module share: the one Lua state of the process and who
// may use it, values between Lua and Python, arrays.
//
// Whoever calls Lua has entered: shop_enter takes the lock, and shop_leave gives it
// back. Python's own lock (the GIL) is held by all functions here but while Lua runs
// (shop_call), so that other threads of Python go on meanwhile; it is always taken
// after ours, and who waits for ours has let it go.
#ifndef PYTHON_PYTHON_H
#define PYTHON_PYTHON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <lua.h>
#include <stdbool.h>

#include "lua/bind/np/array.h"

// ---- shop.c ----

// Enters, and opens Lua at the first time. NULL: a Python error is set. To be entered
// again on the way, but not from what Lua calls while it runs.
lua_State *shop_enter(void);
void shop_leave(void);
// lua_pcall, without Python's lock, and stopped by Ctrl-C. False: a Python error is
// set, and nothing is left of the call.
bool shop_call(lua_State *L, int nargs, int nresults);
// Runs f(L, context) protected, with Python's lock: a Lua error, or a Python error
// that f left, becomes the latter. Its stack begins with the `nargs` values on top,
// which are popped, and what it has at the end are its results.
bool shop_protect(lua_State *L, void (*f)(lua_State *L, void *context),
                  void *context, int nargs, int nresults);
// In such an f, where a Python error is set.
void shop_fail(lua_State *L) __attribute__((noreturn));
// Gives up a storage and what was held of it beside the reference, or a reference of
// Lua's registry: from any thread, at any time.
enum shop_hold { SHOP_PIN = 1, SHOP_LOAN = 2 }; // bits; of a device's storage
void shop_drop_storage(struct storage *s, unsigned hold);
void shop_drop_ref(int ref);
// Said once in the process, as a warning of Python's that copies are made. False: it
// is an error by Python's filters.
bool shop_warn_copy(bool *was_said, const char *text);
// Counts what was copied where it could not be shared, whether it was said or not.
void shop_count_copied(uint64_t bytes);
uint64_t shop_copied_bytes(void);

bool shop_add(PyObject *module); // the exceptions

// ---- values.c ----

// The value at `i` for Python; NULL: a Python error is set. May raise.
PyObject *value_to_python(lua_State *L, int i);
// Pops the `count` values on top: None, the only one, or a tuple.
PyObject *values_take(lua_State *L, int count);
// Enters and calls what `push` pushes in shop_protect, a function and its arguments: its
// results. NULL: a Python error is set.
PyObject *values_of_call(void (*push)(lua_State *L, void *context),
                         void *context);
// Pushes an object of Python's; in shop_protect.
void value_push(lua_State *L, PyObject *object);

// Of all types whose objects are a value of Lua's.
struct value {
  PyObject ob_base;
  int ref; // in Lua's registry
};
void value_dealloc(PyObject *self);
PyObject *value_repr(PyObject *self);

bool value_add(PyObject *module); // the type Value

// ---- table.c: frames and series ----

// The type of the value at `i`; NULL: it is neither.
PyTypeObject *table_type_of(lua_State *L, int i);
bool table_is(PyObject *object);

bool table_add(PyObject *module); // the types Frame and Series

// ---- arrow_lend.c: ours for others; `is_one`: a series, and no frame ----

// Capsules, as __arrow_c_schema__ and the others give them; NULL: a Python error is set.
// requested: requested_schema, None or NULL.
PyObject *lend_arrow_schema(PyObject *self, bool is_one);
PyObject *lend_arrow_array(PyObject *self, bool is_one, bool for_device,
                           PyObject *requested);
PyObject *lend_arrow_stream(PyObject *self, bool is_one, PyObject *requested);

// ---- arrow_borrow.c ----

// Pushes a frame or a series of whatever hands over columns of Arrow's. False: the
// object does not. In shop_protect.
bool arrow_push(lua_State *L, PyObject *object);

// ---- array.c ----

PyObject *array_to_python(const struct array *a);
bool array_is(PyObject *object);
void array_push(lua_State *L, PyObject *object); // in shop_protect

bool array_add(PyObject *module); // the type Array

// ---- object.c ----

// Pushes an object, whose reference it takes; in shop_protect.
void object_push(lua_State *L, PyObject *object);
// The object at `i`, borrowed, or NULL.
PyObject *object_test(lua_State *L, int i);
void object_open(lua_State *L);

// ---- lend.c: ours for others ----

struct mapping; // link.h
struct lend {
  bool is_versioned; // the consumer knows DLPack 1
  bool is_copied;
  struct mapping *mapping; // of a device array; NULL: it is on the host
};
// A capsule of an array, whose storage it refers to until its consumer is done.
PyObject *lend_capsule(const struct array *a, struct lend how);
// A tuple (device type, device id) of DLPack's.
PyObject *lend_device(const struct mapping *m);
// NumPy's description of the array interface, version 3, or that of a device array.
PyObject *lend_interface(const struct array *a, const struct mapping *m);
// A tuple of an array's shape or strides.
PyObject *lend_sizes(const int64_t *sizes, int ndim);

// ---- borrow.c: others' for us ----

// Pushes an array over the memory of whatever has __dlpack__, or of a capsule. False:
// the object has and is none. In shop_protect.
bool borrow_push(lua_State *L, PyObject *object);

// np.from_dlpack(x), x:to_dlpack(): in shop_protect.
void exchange_open(lua_State *L);

#endif
