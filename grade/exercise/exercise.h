// SPDX-License-Identifier: Apache-2.0
// An exercise: its folder read and checked, its cases made from seeds.
// docs/exercises.md says how one is written.
#ifndef GRADE_EXERCISE_EXERCISE_H
#define GRADE_EXERCISE_EXERCISE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/err.h"
#include "base/str.h"
#include "gpu/gpu_texture.h"
#include "grade/compare/compare.h"
#include "grade/input/input.h"
#include "kernels/reference.h"

enum {
  EXERCISE_MAX_PARAMS = 16,
  EXERCISE_MAX_DIMS = 4,
  EXERCISE_MAX_KERNELS = 8,
};

// Handed in: a kernel; a Lua function; one that drives kernels; a batch script.
enum exercise_kind {
  EXERCISE_CUDA,
  EXERCISE_LUA,
  EXERCISE_HOST,
  EXERCISE_BATCH
};

enum direction {
  PARAM_VALUE,
  PARAM_IN,
  PARAM_OUT,
  PARAM_INOUT,
  PARAM_SCRATCH,  // memory for the kernels, which is not judged
  PARAM_CONSTANT, // a __constant__ array of the submission's, no parameter
  PARAM_TEXTURE,  // a picture behind a texture object
};

struct exercise_param {
  enum direction direction;
  enum dtype dtype; // of the number, or of what the pointer points at
  char *declared;   // "const float *"; of kind lua "f32[]", a number's "f32"
  char *name;
  bool is_array;
  size_t room;            // of a constant array, in elements
  enum gpu_filter filter; // of a texture
  enum gpu_address_mode address_mode;
  bool is_normalized;
};

static inline bool exercise_is_result(const struct exercise_param *p) {
  return p->direction == PARAM_OUT || p->direction == PARAM_INOUT;
}

// A kernel that is handed in.
struct exercise_kernel {
  char *name;
  char *signature; // as a person writes it
  int param_count;
  struct exercise_param params[EXERCISE_MAX_PARAMS];
};

struct exercise_case {
  char *name;
  bool is_hidden;
  char *release; // when a course system may show it: "after_due_date"; NULL
  char *row;     // as Lua, on one line; NULL: too long, or not to be written so
  double weight;
  struct tolerance tolerance;
};

struct exercise_mutant {
  char *name;
  char *breaks; // the goal or requirement that it must break; NULL: it is wrong
  char *source; // the whole wrong program
  char *explain;
};

// What the devices must have that judge it; 0: nothing is asked.
struct exercise_hardware {
  int capability; // 90 is 9.0
  uint64_t memory_bytes;
  bool gpu; // a real one
};

// Whole numbers that take the place of a case's own, by its fields' names.
enum { CASE_MAX_CHANGES = 4, CASE_FIELD_BYTES = 32 };

struct case_changes {
  int count;
  struct case_change {
    char field[CASE_FIELD_BYTES];
    int64_t value;
  } at[CASE_MAX_CHANGES];
};

// The launch that is timed: a case, with whole numbers of its own in place of
// some of the case's, so that it is large enough for a real GPU.
struct exercise_rank {
  bool is_there;
  int index; // of the case
  struct case_changes changes;
  double bytes;      // that must come from memory at least; 0: not said
  double operations; // of f32 that must be done at least, likewise
};

// "sectors_per_request <= 4.5": a rule over counters.
struct efficiency_rule {
  char *text;
  int metric;   // enum gpu_metric
  bool is_call; // enum gpu_call, of kinds lua and host
  bool is_least;
  double limit;
  bool is_goal, is_each_line; // it decides the verdict; of each line, too
  double points;              // of a rule that is no goal
  int case_count;             // the cases that it is for; 0: all
  char **cases;
};

// "min_threads = 64": what must be executed for the result.
enum {
#define REQUIRE(name, ...) REQUIRE_##name,
#include "grade/exercise/requires.def"
#undef REQUIRE
  REQUIRE_COUNT
};
struct requirement {
  char *text;
  int row; // REQUIRE_...
  uint64_t number;
  int kernel; // that it is asked of; -1: of all
};

struct exercise {
  char *name; // of its folder
  char *folder;
  enum exercise_kind kind;
  char *title;
  char *task;
  char *kernel;     // the entry's name: the first kernel's, or the function's
  char *signature;  // as a person writes it, a line for each kernel
  int kernel_count; // 0: of kind lua
  struct exercise_kernel *kernels;
  // 0: the one kernel is launched once, with the parameters below. Else the
  // field `launches` launches, so many times at most (grade/case/).
  int most_launches;
  struct exercise_hardware hardware;
  struct exercise_rank rank;
  int minutes;
  double points;
  uint64_t budget; // instructions of one thread; of kind lua all work of a run
  int param_count;
  struct exercise_param params[EXERCISE_MAX_PARAMS];
  int case_count;
  struct exercise_case *cases;
  struct script_task *script; // of kind batch; else NULL
  int hint_count;
  char **hints;
  char *editorial; // what the solution costs, what comes next; NULL: none
  int rule_count;
  struct efficiency_rule *rules; // goals, then efficiency
  int require_count;
  struct requirement *requires;
  int mutant_count;
  struct exercise_mutant *mutants;
  int need_count;
  char **needs;
  char *host_source, *host_file; // of kind host: its kernels; else NULL
  char *starter;
  char *solution;
  char *written; // the solution's file, with its markers; "": it is not here
  char *private_folder; // exercises-private/NAME; NULL: none
  int private_mutants;  // so many of the last ones come from there
  bool is_copy;   // a learner's, whose solution and mutants are PTX or missing
  bool is_locked; // its course shows the solution to who has passed alone
  char *tolerance_reason;
  const struct reference *reference; // NULL: a function in exercise.lua
  lua_State *L;                      // [description]
};

const char *exercise_kind_name(enum exercise_kind kind); // "host"

static inline bool exercise_is_lua(enum exercise_kind kind) {
  return kind == EXERCISE_LUA || kind == EXERCISE_HOST;
}

// ".cu", ".lua" or ".sh"; "solution.cu"; what stands before "BEGIN SOLUTION" there.
const char *exercise_extension(enum exercise_kind kind);
const char *exercise_solution_name(enum exercise_kind kind);
const char *exercise_comment(enum exercise_kind kind);

// Loads an exercise by its name in the index of a course (the first of
// course_list_load that has it), or by the path of its folder (whatever has a
// slash in it). ERR_NOT_FOUND lists the names that there
// are; ERR_ARGUMENT says what is wrong with the exercise.
enum err exercise_load(const char *name, struct exercise **out,
                       struct err_info *e);
void exercise_free(struct exercise *ex);
// Has any of the courses one of that name? False: a sentence as exercise_load's.
bool exercise_is_known(const char *name, struct err_info *e);

// "__constant__ float weights[9]"
void exercise_add_constant(const struct exercise_param *p, struct str *out);

// "a real GPU, compute capability 9.0"; NULL: nothing is asked. To be freed.
char *exercise_hardware_text(const struct exercise *ex);

// May the rule be asked of each line? Only a ratio of what one instruction does.
bool efficiency_has_lines(const struct efficiency_rule *r);

// That all its rules together may earn.
double efficiency_points(const struct exercise *ex);

// The names of the exercises of the course in use, freed with exercise_names_free.
enum err exercise_names(char ***out, int *count, struct err_info *e);
void exercise_names_free(char **names, int count);

// ---- Its Lua, for who makes its cases ----

// Calls the function below its arguments on the stack of ex->L, under the limits
// of exercise.lua; ERR_ARGUMENT has Lua's words.
enum err exercise_call(const struct exercise *ex, int arguments, int results,
                       struct err_info *e);
// Has the table on top, a launch that `make` gives or (`is_of_several`) one of the
// function `launches`, a field that none has? A sentence about it, to be freed.
char *exercise_unknown_setting(lua_State *L, enum exercise_kind kind,
                               bool is_of_several);
// Adds numbers, texts, booleans and tables of these as Lua, on one line: what is
// listed, then `name`, then the other keys by their letters. False, with the half of
// it added, where something else is in it, a table within more than 8 others, or a key
// that is neither text nor number.
bool exercise_add_text(struct str *out, lua_State *L, int index);

#endif
