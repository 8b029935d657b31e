// SPDX-License-Identifier: Apache-2.0
// The one Lua state of the process: opened at the first use, used by one thread at a
// time, stopped by Ctrl-C. It is the only client of its device server. What Python
// drops at a bad moment (another thread is inside, or this one) waits in a list.
#include "python/python.h"

#include <lauxlib.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/memory_left.h"
#include "lua/bind/cuda/cuda.h"
#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"
#include "python/link.h"

// What is to be given up at the next chance.
struct drop {
  struct storage *storage; // or NULL:
  unsigned hold;           // enum shop_hold
  int ref;
  struct drop *next;
};

static struct {
  lua_State *L;
  pid_t pid; // that opened it
  pthread_mutex_t lock, drops_lock;
  pthread_t owner;         // of the lock, where
  int depth;               // is not 0: how often it entered
  bool is_running;         // Lua, by the owner
  bool was_stopped;        // by an exception in what it printed to
  struct sigaction before; // SIGINT's, while Lua runs
  struct drop *drops;
  PyObject *error, *copy_warning;
  uint64_t copied_bytes; // where arrays could not be shared
} shop = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .drops_lock = PTHREAD_MUTEX_INITIALIZER,
};

// ---- What Lua says ----

static PyObject *decode(const char *text, size_t bytes) {
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)bytes, "replace");
}

// Into sys.stdout or sys.stderr, whatever stands there: a notebook's cell.
static bool write_to(const char *stream, const char *text, size_t bytes) {
  PyObject *file = PySys_GetObject(stream); // borrowed
  PyObject *said = file && file != Py_None ? decode(text, bytes) : NULL;
  PyObject *done = said ? PyObject_CallMethod(file, "write", "O", said) : NULL;
  Py_XDECREF(said);
  Py_XDECREF(done);
  return done || !PyErr_Occurred();
}

// An exception there stops Lua, which raises it at its end.
static void print_text(void *context, const char *text, size_t bytes) {
  (void)context;
  PyGILState_STATE state = PyGILState_Ensure();
  if (!write_to("stdout", text, bytes)) {
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
      PyErr_Clear();
      shop.was_stopped = true;
      bind_interrupt("Ctrl-C");
    } else {
      PyErr_WriteUnraisable(NULL);
    }
  }
  PyGILState_Release(state);
}

static void say_logged(void *context, int level, const char *text) {
  (void)context;
  int how = level & ~LOG_OF_PROGRAM;
  if ((how != LOG_NOTE && how != LOG_WARNING) || !Py_IsInitialized())
    return;
  char *line =
      xasprintf("%s: %s\n", how == LOG_WARNING ? "warning" : "note", text);
  PyGILState_STATE state = PyGILState_Ensure();
  if (!write_to("stderr", line, strlen(line)))
    PyErr_WriteUnraisable(NULL);
  PyGILState_Release(state);
  free(line);
}

void shop_count_copied(uint64_t bytes) {
  shop.copied_bytes += bytes;
}

uint64_t shop_copied_bytes(void) {
  return shop.copied_bytes;
}

bool shop_warn_copy(bool *was_said, const char *text) {
  if (*was_said)
    return true;
  *was_said = true;
  return !PyErr_WarnEx(shop.copy_warning, text, 1);
}

// ---- What is given up ----

static void keep_drop(struct drop drop) {
  struct drop *d = xmalloc(sizeof *d);
  *d = drop;
  pthread_mutex_lock(&shop.drops_lock);
  d->next = shop.drops;
  shop.drops = d;
  pthread_mutex_unlock(&shop.drops_lock);
}

static int unref(lua_State *L) {
  luaL_unref(L, LUA_REGISTRYINDEX, (int)lua_tointeger(L, 1));
  return 0;
}

// By who holds the lock.
static void give_up(lua_State *L, const struct drop *d) {
  if (d->storage) {
    if (d->hold & SHOP_PIN)
      device_storage_unpin(device_storage_of(d->storage));
    if (d->hold & SHOP_LOAN)
      device_storage_take_back(device_storage_of(d->storage));
    storage_unref(d->storage);
    return;
  }
  lua_pushcfunction(L, unref);
  lua_pushinteger(L, d->ref);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK)
    lua_pop(L, 1);
}

static struct drop *take_drops(void) {
  pthread_mutex_lock(&shop.drops_lock);
  struct drop *first = shop.drops;
  shop.drops = NULL;
  pthread_mutex_unlock(&shop.drops_lock);
  return first;
}

static void give_up_all(void) {
  for (struct drop *d; shop.L && (d = take_drops());)
    for (struct drop *next; d; d = next) {
      next = d->next;
      give_up(shop.L, d);
      free(d);
    }
}

// At once, where nobody is inside: what waits for nothing holds memory.
static void try_drops(void) {
  if (shop.pid != getpid() || pthread_mutex_trylock(&shop.lock))
    return;
  give_up_all();
  pthread_mutex_unlock(&shop.lock);
}

void shop_drop_storage(struct storage *s, unsigned hold) {
  if (!s)
    return;
  keep_drop((struct drop){.storage = s, .hold = hold});
  try_drops();
}

void shop_drop_ref(int ref) {
  keep_drop((struct drop){.ref = ref});
  try_drops();
}

// ---- Entering ----

static void open_exchange(lua_State *L, void *context) {
  (void)context;
  exchange_open(L);
}

static bool open_lua(void) {
  struct err_info e = {0};
  struct bind_options options = {
      .print = print_text,
      .shares_events = true,
      // A text that grows for ever ends with an error, not with the machine.
      .memory_cap_bytes = (size_t)(memory_total() / 2),
  };
  log_set_hook(say_logged, NULL);
  shop.L = bind_new(&options, &e);
  if (!shop.L) {
    PyErr_SetString(PyExc_RuntimeError, e.text);
    return false;
  }
  shop.pid = getpid();
  return shop_protect(shop.L, open_exchange, NULL, 0, 0);
}

static bool is_mine(void) {
  return shop.depth && pthread_equal(shop.owner, pthread_self());
}

static void lock(void) {
  if (!pthread_mutex_trylock(&shop.lock))
    return;
  PyThreadState *save = PyEval_SaveThread();
  pthread_mutex_lock(&shop.lock);
  PyEval_RestoreThread(save);
}

static bool may_enter(void) {
  if (shop.L && shop.pid != getpid())
    PyErr_SetString(PyExc_RuntimeError,
                    "this process was forked from one that had used warpshop, "
                    "whose device it cannot share: start it with "
                    "multiprocessing.get_context(\"spawn\")");
  else if (is_mine() && shop.is_running)
    PyErr_SetString(PyExc_RuntimeError,
                    "warpshop runs: what it prints to cannot call it");
  else
    return true;
  return false;
}

lua_State *shop_enter(void) {
  if (!may_enter())
    return NULL;
  if (is_mine()) {
    shop.depth++;
    return shop.L;
  }
  lock();
  shop.owner = pthread_self();
  shop.depth = 1;
  if (shop.L || open_lua()) {
    give_up_all();
    link_begin();
    return shop.L;
  }
  shop_leave();
  return NULL;
}

void shop_leave(void) {
  if (shop.depth > 1) {
    shop.depth--;
    return;
  }
  give_up_all();
  shop.depth = 0;
  pthread_mutex_unlock(&shop.lock);
}

// ---- Errors ----

static int text_of(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  return 1;
}

static bool set_attribute(PyObject *to, const char *name, PyObject *value) {
  bool is_set = value && !PyObject_SetAttrString(to, name, value);
  Py_XDECREF(value);
  return is_set;
}

// The field of an error table at `i` for Python, None where there is none.
static PyObject *field_of(lua_State *L, int i, const char *name) {
  if (!lua_istable(L, i))
    Py_RETURN_NONE;
  lua_pushstring(L, name);
  lua_rawget(L, i);
  PyObject *value = value_to_python(L, -1);
  lua_pop(L, 1);
  return value;
}

// [error] -> [], and the Python exception with its kind, message, diagnostics.
static int push_exception(lua_State *L) {
  int at = lua_gettop(L);
  lua_pushcfunction(L, text_of);
  lua_pushvalue(L, at);
  bool has_text = lua_pcall(L, 1, 1, 0) == LUA_OK;
  size_t bytes = 0;
  const char *text = has_text ? lua_tolstring(L, -1, &bytes) : NULL;
  PyObject *said = text ? decode(text, bytes) : decode("an error", 8);
  PyObject *x = said ? PyObject_CallFunction(shop.error, "O", said) : NULL;
  const char *kind = bind_error_kind(L, at);
  if (x && set_attribute(x, "kind", decode(kind, strlen(kind))) &&
      set_attribute(x, "message",
                    lua_istable(L, at) ? field_of(L, at, "message")
                                       : (Py_INCREF(said), said)) &&
      set_attribute(x, "diagnostics", field_of(L, at, "diagnostics")))
    PyErr_SetObject(shop.error, x);
  Py_XDECREF(said);
  Py_XDECREF(x);
  return 0;
}

// [error] -> [] as a Python error; one that is set stays.
static void raise_python(lua_State *L) {
  int at = lua_gettop(L);
  bool was_stopped =
      shop.was_stopped || !strcmp(bind_error_kind(L, at), "cancelled");
  shop.was_stopped = false;
  if (was_stopped && !PyErr_Occurred() && !PyErr_CheckSignals())
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  if (PyErr_Occurred()) {
    lua_settop(L, at - 1);
    return;
  }
  lua_pushcfunction(L, push_exception);
  lua_insert(L, at);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK && !PyErr_Occurred())
    PyErr_SetString(PyExc_MemoryError, "no memory for an error of Lua's");
  lua_settop(L, at - 1);
}

// ---- Ctrl-C ----

// Python's own handler learns of it as well, and raises KeyboardInterrupt.
static void on_interrupt(int signal) {
  bind_interrupt("Ctrl-C");
  if (shop.before.sa_handler != SIG_DFL && shop.before.sa_handler != SIG_IGN)
    shop.before.sa_handler(signal);
}

// Python handles signals in the process's first thread alone.
static bool listen(void) {
  struct sigaction now;
  if (syscall(SYS_gettid) != getpid() || sigaction(SIGINT, NULL, &now) ||
      now.sa_handler == SIG_IGN || now.sa_handler == SIG_DFL ||
      (now.sa_flags & SA_SIGINFO))
    return false;
  shop.before = now;
  struct sigaction ours = {.sa_handler = on_interrupt,
                           .sa_flags = now.sa_flags};
  return !sigaction(SIGINT, &ours, NULL);
}

static void stop_listening(void) {
  sigaction(SIGINT, &shop.before, NULL);
  bind_clear_interrupt();
}

// ---- Calling ----

// What others see of their memory is done. Its error takes the results' place.
static int settle(lua_State *L, int first) {
  lua_pushcfunction(L, link_settle);
  int status = lua_pcall(L, 0, 0, 0);
  if (status != LUA_OK) {
    lua_insert(L, first);
    lua_settop(L, first);
  }
  return status;
}

bool shop_call(lua_State *L, int nargs, int nresults) {
  bool listens = listen();
  int first = lua_gettop(L) - nargs; // of its results
  shop.is_running = true;
  PyThreadState *save = PyEval_SaveThread();
  int status = lua_pcall(L, nargs, nresults, 0);
  if (status == LUA_OK && link_is_shared())
    status = settle(L, first);
  PyEval_RestoreThread(save);
  shop.is_running = false;
  if (listens)
    stop_listening();
  if (status != LUA_OK)
    raise_python(L);
  return status == LUA_OK;
}

struct protected {
  void (*run)(lua_State * L, void *context);
  void *context;
};

static int run_protected(lua_State *L) {
  struct protected *p = lua_touserdata(L, 1);
  lua_remove(L, 1);
  p->run(L, p->context);
  return lua_gettop(L);
}

bool shop_protect(lua_State *L, void (*f)(lua_State *L, void *context),
                  void *context, int nargs, int nresults) {
  struct protected p = {f, context};
  if (!lua_checkstack(L, 20)) {
    lua_pop(L, nargs);
    PyErr_NoMemory();
    return false;
  }
  int first = lua_gettop(L) - nargs + 1;
  lua_pushcfunction(L, run_protected);
  lua_insert(L, first);
  lua_pushlightuserdata(L, &p);
  lua_insert(L, first + 1);
  if (lua_pcall(L, nargs + 1, nresults, 0) == LUA_OK)
    return true;
  raise_python(L);
  return false;
}

void shop_fail(lua_State *L) {
  lua_pushnil(L);
  lua_error(L);
  abort(); // lua_error does not return
}

bool shop_add(PyObject *module) {
  shop.error = PyErr_NewExceptionWithDoc(
      "warpshop.Error",
      "What Lua, the compiler or the device raised: str(e) is the message with "
      "its place,\ne.kind (\"compile\", \"out-of-bounds\" ...), e.message, "
      "e.diagnostics.",
      NULL, NULL);
  shop.copy_warning =
      PyErr_NewExceptionWithDoc("warpshop.CopyWarning",
                                "An array was copied where it could not be "
                                "shared; said once of a reason.",
                                PyExc_UserWarning, NULL);
  return shop.error && shop.copy_warning &&
         !PyModule_AddObjectRef(module, "Error", shop.error) &&
         !PyModule_AddObjectRef(module, "CopyWarning", shop.copy_warning);
}
