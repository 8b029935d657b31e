// SPDX-License-Identifier: Apache-2.0
// What every binding shares: raising errors as tables, calling Lua from C, and
// opening the library.
#ifndef LUA_BIND_STATE_BIND_H
#define LUA_BIND_STATE_BIND_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/nearest.h"
#include "base/str.h"
#include "gpu/finding.h"
#include "gpu/nvrtc/nvrtc.h"

// Raises {kind, message, diagnostics = {}} with a readable tostring. The
// message is blamed on the innermost Lua line of the learner's.
int bind_error(lua_State *L, enum err kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), noreturn));
int bind_error_info(lua_State *L, const struct err_info *e)
    __attribute__((noreturn));
// raise(kind, text), for a library's Lua files.
int bind_l_raise(lua_State *L);

// Pushes such a table without raising it; the caller may fill `diagnostics`.
void bind_push_error(lua_State *L, enum err kind, const char *message);

// The innermost Lua line of the learner's; false where there is none.
bool bind_find_line(lua_State *L, char *file, size_t bytes, int *line);

// What the argument at `i` is, where it should be something else: "a string",
// "an array", "nothing", "nil (is its name right?)".
const char *bind_value_text(lua_State *L, int i);

// Pushes the name, "np.sum", of a running function that got its own module as
// its first argument, np:sum(x); false, and nothing is pushed, where none did.
bool bind_push_colon_call(lua_State *L);

// [method] -> [method], in a wrapper that refuses to be called without the
// value at `self` where the function at `level` writes x.name(...), with a dot.
void bind_guard_method(lua_State *L, int self, const char *name, int level);

// The registry's table of what was typed at the prompt: number -> text. Its
// chunks are named by the number, "[12]".
#define BIND_ENTRIES "warpshop.entries"
// These lines of what was typed as "[12]", or of a file, with their ends; NULL
// where there is no such text. The caller frees them.
char *bind_lines(lua_State *L, const char *name, int from, int to);
// Pushes the line of "[12]:3" or "file.lua:3" without its indent, or nil.
void bind_push_line(lua_State *L, const char *where);

// Goes on collecting once the heap has doubled: what is there by now stays.
void bind_collect_later(lua_State *L);

// The kind of the error value at index `i` ("lua" for a plain string).
const char *bind_error_kind(lua_State *L, int i);

// lua_pcall with a traceback handler that leaves error tables as they are.
int bind_pcall(lua_State *L, int nargs, int nresults);

// A new state with all libraries of warpshop open: np, cuda and the error
// type; `sandboxed` leaves out os, io, package loading, debug and load of
// binary chunks (a learner's submission).
struct bind_far;
struct bind_options {
  const char *device; // "cuda:0", "virtual:0"; NULL: WARPSHOP_DEVICE, else the
                      // first GPU, else virtual:0
  double deadline_s;  // of one wait for the device; 0: none
  bool sandboxed;
  void (*print)(void *context, const char *text, size_t bytes);
  void *context;
  size_t memory_cap_bytes; // of Lua's own memory; 0: no cap
  uint64_t budget; // instructions of one thread on the virtual GPU; 0: default
  // Who counts the state's work, with `meter`, or NULL: what is done outside of
  // Lua's own; and may Lua have so many more bytes?
  void (*charge)(void *meter, double units);
  bool (*may_take)(void *meter, size_t bytes, bool is_string);
  void *meter;
  size_t device_memory_bytes; // of a virtual GPU; 0: a share of the machine's
  bool is_deviceless;         // no device is started
  bool has_no_compiler;       // kernels are those that come compiled
  bool shares_events; // GPUs are shared with other libraries of this process
  const struct bind_far *far; // devices on other machines; NULL: there are none
  const void *chunks; // what bind_write_chunks wrote; NULL: files are read
  size_t chunks_bytes;
};

// Devices on other machines, under names of their own ("slurm:gpu=1").
struct bind_far_device {
  const char *device;         // what it is called there: "cuda:0"
  const char *const *command; // reaches it: see remote_options
  void *context;              // of say_wait and close
  int64_t limit_s;            // for so long; 0: that is not known
};
struct bind_far {
  bool (*is_name)(const char *name);
  enum err (*open)(const char *name, struct bind_far_device *out,
                   struct err_info *e);
  // So many tasks of a program, whose words stay the caller's until close(); `wish`
  // is what stands behind the colon of such a name; with has_gpus each gets a GPU.
  enum err (*open_tasks)(const char *wish, int tasks, bool has_gpus,
                         const char *const *program,
                         struct bind_far_device *out, struct err_info *e);
  void (*close)(void *context);
  void (*say_wait)(void *context, char *text, size_t bytes);
};
// What C keeps beside a state that bind_new made, found without a look-up.
struct bind_state {
  struct bind_options options; // its texts are the caller's
  struct lcuda *cuda;          // of lua/bind/cuda, which Lua's collector frees
  struct np_state *np;         // of lua/bind/np; NULL: nothing asked for it yet
  void (*free_np)(struct np_state *np); // once the last array is gone
};
static inline struct bind_state *bind_state_of(lua_State *L) {
  return *(struct bind_state **)lua_getextraspace(L);
}
lua_State *bind_new(const struct bind_options *options, struct err_info *e);
// The registry's table of the globals that bind_new put there: name -> value. Not in a
// sandboxed state.
#define BIND_FIRST_GLOBALS "warpshop.first_globals"
// The same with the tables that `libraries` opens; may raise.
lua_State *bind_new_with(const struct bind_options *options,
                         void (*libraries)(lua_State *L,
                                           const struct bind_options *options),
                         struct err_info *e);
void bind_close(lua_State *L);

// The id of the device in use, or to be opened when first needed: "cuda:0".
const char *bind_device_id(lua_State *L);
// Where the device in use is, when that is another machine, and how long it will be
// there: "gpu-07, 43 min left"; false, and nothing is written, of one that is here.
bool bind_device_place(lua_State *L, char *text, size_t bytes);
// Says, once, that the device is virtual because there is no GPU.
void bind_note_no_gpu(lua_State *L);

// Sets a field of the table at the top; a text that is NULL sets none.
void bind_set_integer(lua_State *L, const char *key, lua_Integer n);
void bind_set_number(lua_State *L, const char *key, double x);
void bind_set_text(lua_State *L, const char *key, const char *text);
// A field of the table at the top: 0 where it is no integer.
lua_Integer bind_get_integer(lua_State *L, const char *key);
bool bind_get_flag(lua_State *L, const char *key);

// Makes the table at the top raise an error for a name that it has not, which
// says what was perhaps meant: "np has no summ; did you mean np.sum?".
// `types` is 0 or the index of a table of the library's names of types: types[key]
// is {text, function}, and table.key is the function where it is called at once.
void bind_guard_names(lua_State *L, const char *name, int types);
// nearest(word, names): the name that is nearest to the word, or nil. For the same.
int bind_l_nearest(lua_State *L);
// Does the function at `level` run "x.name(...)", its fetch of the name? False
// where that cannot be told.
bool bind_calls_at_once(lua_State *L, int level);
// What to write for a path that other libraries have ("cuda.jit"), or NULL.
const char *bind_known_name(const char *path);
// Tries the names in the table at the top, which stays.
void bind_try_names(lua_State *L, struct nearest *near);
// Pushes the value that "np.fft.fft" names, or nil. Raises what a table says of
// a name that it has not.
void bind_push_named(lua_State *L, const char *path);

// Reaps servers and compile workers that left; for when SIGCHLD came.
void bind_reap(lua_State *L);

// Writes to where the state's `print` goes.
void bind_print(lua_State *L, const char *text, size_t bytes);

// Pushes the text of a file of the program's own ("lua/np/np.lua"), or a Lua
// file of its own as a function; raises where it is missing.
void bind_push_text(lua_State *L, const char *name);
void bind_push_chunk(lua_State *L, const char *name);
// Compiles all Lua files below a folder of the program's own ("lua/np"), for the
// option `chunks` of states in other processes of the same build. What cannot be read
// or compiled is left out, and is then read from its file.
void bind_write_chunks(const char *folder, struct str *out);

// ---- bind_library.c: libraries written in Lua ----

// [use] -> [use], a table that is called: use(name) is what FOLDER/NAME.lua
// returned (true for nothing), run once, with `use`. A name that begins with
// `beside` ("cuda/", or NULL) is one of lua/ itself.
void bind_make_use(lua_State *L, const char *folder, const char *beside);
// Pushes a table that load(table, key), or load(table) for pairs, fills at the
// first look; that takes the table's metatable away.
void bind_push_library(lua_State *L, lua_CFunction load);
// guard(table, name): bind_guard_names. value_text(x): bind_value_text.
int bind_l_guard(lua_State *L);
int bind_l_value_text(lua_State *L);
// warn(text): said once by the program, where it has a hook.
int bind_l_warn(lua_State *L);

// Ctrl-C: safe in a signal handler. Stops Lua, a compile or a wait; whichever
// notices raises `cancelled` and clears it. `by`, a constant, says in Lua's
// error what it was: "Ctrl-C", "its deadline".
void bind_interrupt(const char *by);
bool bind_is_interrupted(void);
void bind_clear_interrupt(void);

// bind_settle(seconds), a lua_CFunction: gives queued launches so long to end,
// infinity for all they need, and raises what went wrong in those that did.
int bind_settle(lua_State *L);
// Is anything queued of which bind_settle does not know how it ended?
bool bind_is_unsettled(lua_State *L);

// ---- bind_compile.c ----

// Compiles `text` so that the value of its last expression is returned: as an
// expression, as statements that end in one, else as statements. Pushes the
// function, or the error string of the last way. Returns LUA_OK or
// LUA_ERRSYNTAX; `*is_unfinished` tells whether more lines could make it right.
int bind_compile(lua_State *L, const char *text, const char *chunk,
                 bool *is_unfinished);

// ---- show.c: values as the prompt and print show them ----

// Adds the value at index `i` as a person reads it: tables opened (bounded,
// cycles named), strings quoted unless they have several lines, everything
// else as tostring says. Breaks tables into lines past `columns`. May raise
// what a __tostring raises.
void show_value(lua_State *L, int i, int columns, struct str *out);

#endif
