// SPDX-License-Identifier: Apache-2.0
// What a device found, in the learner's words: the line, the array by both its
// names, the thread, and one sentence that says what it means.
#include "gpu/finding/finding.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/finding/finding_bounds.h"
#include "gpu/finding/finding_local.h"
#include "gpu/finding/finding_loop.h"
#include "gpu/finding/finding_place.h"
#include "gpu/finding/finding_pointer.h"
#include "gpu/finding/finding_race.h"
#include "gpu/finding/finding_use.h"
#include "gpu/finding/finding_work.h"

struct meaning {
  enum err kind;
  enum gpu_access access;
  enum gpu_space space;
  const char *code, *what, *advice;
};

#define GPU_ACCESS_READ   GPU_READ
#define GPU_ACCESS_WRITE  GPU_WRITE
#define GPU_ACCESS_ATOMIC GPU_ATOMIC

static const struct meaning meanings[] = {
#define FINDING(kind, access, space, code, what, advice)                       \
  {ERR_##kind, GPU_ACCESS_##access, GPU_SPACE_##space, code, what, advice},
#define PARTICULAR(kind, begin, advice)
#include "gpu/finding/finding_text.def"
#undef FINDING
#undef PARTICULAR
};

static const struct meaning *find_meaning(const struct gpu_finding *f) {
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
    const struct meaning *m = &meanings[i];
    if ((int)m->kind == f->kind &&
        (m->access == GPU_ACCESS_NONE || (int)m->access == f->at.access) &&
        (m->space == GPU_SPACE_NONE || (int)m->space == f->space))
      return m;
  }
  return NULL;
}

const char *finding_code(const struct gpu_finding *f) {
  const struct meaning *m = find_meaning(f);
  return m ? m->code : "other";
}

const char *finding_what(const struct gpu_finding *f) {
  const struct meaning *m = find_meaning(f);
  return m ? m->what : err_text((enum err)f->kind);
}

// Advice that fits what the device said better than what fits the kind.
static const char *particular_advice(const struct gpu_finding *f) {
  static const struct {
    enum err kind;
    const char *begin, *advice;
  } rows[] = {
#define FINDING(kind, access, space, code, what, advice)
#define PARTICULAR(kind, begin, advice) {ERR_##kind, begin, advice},
#include "gpu/finding/finding_text.def"
#undef FINDING
#undef PARTICULAR
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if ((int)rows[i].kind == f->kind && str_starts(f->text, rows[i].begin))
      return rows[i].advice;
  return NULL;
}

const char *finding_advice(const struct gpu_finding *f) {
  const struct meaning *m = find_meaning(f);
  const char *own = particular_advice(f);
  if (own)
    return own;
  return m ? m->advice : NULL;
}

int finding_rank(const char *kind) {
  static const enum err order[] = {
      ERR_COMPILE,        ERR_ASSERT,     ERR_TRAP,          ERR_OUT_OF_BOUNDS,
      ERR_USE_AFTER_FREE, ERR_MISALIGNED, ERR_BARRIER,       ERR_DEADLOCK,
      ERR_READ_ONLY,      ERR_RACE,       ERR_UNINITIALISED, ERR_DIVISION,
      ERR_TIMEOUT,        ERR_SLEEP,      ERR_LEAK,
  };
  int count = sizeof order / sizeof *order;
  for (int i = 0; i < count; i++)
    if (!strcmp(kind, err_kind(order[i])))
      return i;
  return count;
}

// ---- Sentences ----

const char *finding_access_word(int access) {
  switch (access) {
  case GPU_READ: return "read";
  case GPU_WRITE: return "write";
  case GPU_ATOMIC: return "atomic";
  default: return "access";
  }
}

const char *finding_space_word(int space) {
  static const char *const words[] = {
      [GPU_SPACE_NONE] = "",           [GPU_SPACE_GLOBAL] = "global",
      [GPU_SPACE_SHARED] = "shared",   [GPU_SPACE_LOCAL] = "local",
      [GPU_SPACE_CONST] = "const",     [GPU_SPACE_PARAM] = "param",
      [GPU_SPACE_TEXTURE] = "texture", [GPU_SPACE_SURFACE] = "surface",
      [GPU_SPACE_WARP] = "warp",       [GPU_SPACE_REGISTER] = "register",
  };
  return space >= 0 && space <= GPU_SPACE_REGISTER ? words[space] : "";
}

void finding_add_cell(struct str *out, const struct finding_subject *s) {
  if (s->element[0])
    str_addf(out, "%s%s", s->array, s->element);
  else if (s->array[0] && s->elem_bytes > 0)
    str_addf(out, "%s[%lld]", s->array, (long long)s->index);
  else if (s->array[0])
    str_add(out, s->array);
}

// "dout (float[4096])": the Lua variable, else the parameter.
static void add_whole(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  bool is_named = s->array[0] && (f->space != GPU_SPACE_LOCAL ||
                                  f->variable[0] || s->elem_bytes > 0);
  str_add(out, s->scene.variable              ? s->scene.variable
               : is_named                     ? s->array
               : f->space == GPU_SPACE_SHARED ? "the block's memory"
               : f->space == GPU_SPACE_LOCAL  ? "the thread's own memory"
                                              : "the nearest array");
  if (s->type[0] && s->elems >= 0)
    str_addf(out, " (%s[%lld])", s->type, (long long)s->elems);
  else if (f->base_bytes || f->space == GPU_SPACE_SHARED)
    str_addf(out, " (%s%s%llu bytes)", finding_space_word(f->space),
             finding_space_word(f->space)[0] ? ", " : "",
             (unsigned long long)f->base_bytes);
}

// Nobody's address; or a distance from the array that is nearest.
static void add_bounds(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  int64_t past = s->offset + (int64_t)f->bytes - (int64_t)f->base_bytes;
  int64_t distance = s->offset < 0 ? -s->offset : past;
  bool is_known = f->base || f->base_bytes;
  str_addf(out, "%s: ", finding_what(f));
  if (is_known)
    finding_add_cell(out, s);
  if (is_known && s->array[0])
    str_add(out, ", ");
  // The device says why where no distance does.
  if (f->text[0] &&
      (f->space == GPU_SPACE_LOCAL || distance <= 0 ||
       (!is_known && !f->address)) &&
      f->space != GPU_SPACE_GLOBAL) {
    str_add(out, f->text);
  } else if (!is_known) {
    str_addf(out,
             f->address < 4096 ? "address %llu is a null pointer"
                               : "no array is at address 0x%llx",
             (unsigned long long)f->address);
    if (str_starts(f->text, "memory of ")) // another GPU's
      str_addf(out, ": %s", f->text);
  } else if (distance <= 0) {
    str_add(out, f->text[0] ? f->text : "not the kernel's to use");
  } else {
    str_addf(out, "%lld byte%s %s of ", (long long)distance,
             distance == 1 ? "" : "s",
             s->offset < 0 ? "before the start" : "past the end");
    add_whole(out, s);
  }
}

static void add_race(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  if (f->space == GPU_SPACE_CONST) {
    str_addf(out, "%s: ", finding_what(f));
    finding_add_cell(out, s);
    return;
  }
  str_add(out, "race on ");
  finding_add_cell(out, s);
  if (!s->array[0])
    str_addf(out, "address 0x%llx", (unsigned long long)f->address);
  str_addf(out, " (%s)", finding_space_word(f->space));
  if (f->space == GPU_SPACE_SHARED)
    str_addf(out, " in block (%u,%u,%u)", f->at.block[0], f->at.block[1],
             f->at.block[2]);
  if (f->severity != GPU_ERROR && f->text[0])
    str_addf(out, ": %s", f->text);
}

static void add_freed(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  if (str_starts(f->text, "freed a second time")) {
    str_add(out, "memory is freed a second time");
    return;
  }
  str_addf(out, "%s %s: ", finding_access_word(f->at.access),
           f->space == GPU_SPACE_LOCAL ? "of a variable that is gone"
                                       : "after free");
  finding_add_cell(out, s);
  if (f->text[0])
    str_addf(out, "%s%s", s->array[0] ? ", " : "", f->text);
  else
    str_add(out, s->array[0] ? " was freed before this launch was done"
                             : "this memory was freed");
}

static void add_misaligned(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  str_addf(out, "misaligned %s of %u bytes: the address ",
           finding_access_word(f->at.access), f->bytes);
  if (s->array[0])
    str_addf(out, "(%s + %lld bytes) ", s->array,
             (long long)(f->offset - s->scene.start));
  str_addf(out, "is no multiple of %u", f->bytes);
}

// Textures and surfaces have no cells by number: the device says where.
static void add_object(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  str_add(out, finding_what(f));
  if (s->array[0])
    str_addf(out, ": %s", s->array);
  if (f->text[0])
    str_addf(out, "%s%s", s->array[0] ? ", " : ": ", f->text);
}

// The text says what became of the value.
static void add_uninitialised(struct str *out,
                              const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  str_add(out, finding_what(f));
  if (!f->text[0] && !s->array[0])
    return;
  str_add(out, ": ");
  if (f->space == GPU_SPACE_REGISTER)
    str_addf(out, "%s was never given a value, and",
             s->array[0] ? s->array : "what is read here");
  else if (f->space == GPU_SPACE_WARP)
    str_add(out, "its value is undefined, and");
  else if (s->array[0])
    finding_add_cell(out, s);
  else if (s->scene.variable)
    str_add(out, s->scene.variable);
  else if (f->space == GPU_SPACE_LOCAL)
    str_add(out, "a local variable, or a part of one,");
  else if (f->base_bytes)
    str_addf(out, "an array of %llu bytes", (unsigned long long)f->base_bytes);
  else
    str_add(out, "it");
  if (f->text[0])
    str_addf(out, " %s", f->text);
  if (f->other.line > 0 && f->other.line != f->at.line)
    str_addf(out, " on line %d", f->other.line);
}

// Threads that read a cell until it changes; or that wait for each other.
static void add_deadlock(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  if (f->bytes) {
    str_add(out, "waits for ever for ");
    if (s->array[0])
      finding_add_cell(out, s);
    else
      str_add(out, "a value");
    str_add(out, " to change: ");
  }
  str_add(out, f->text[0] ? f->text : finding_what(f));
}

void finding_add_sentence(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  bool is_surface = f->space == GPU_SPACE_SURFACE && f->kind != ERR_RACE;
  if (f->space == GPU_SPACE_TEXTURE || is_surface) {
    add_object(out, s);
    return;
  }
  switch (f->kind) {
  case ERR_UNINITIALISED: add_uninitialised(out, s); return;
  case ERR_OUT_OF_BOUNDS: add_bounds(out, s); return;
  case ERR_RACE: add_race(out, s); return;
  case ERR_USE_AFTER_FREE: add_freed(out, s); return;
  case ERR_MISALIGNED: add_misaligned(out, s); return;
  case ERR_DEADLOCK: add_deadlock(out, s); return;
  default: break;
  }
  str_add(out, f->text[0] ? f->text : finding_what(f));
  if (!f->text[0] && s->array[0]) {
    str_add(out, ": ");
    finding_add_cell(out, s);
  }
}

// ---- Whether to say it ----

static bool has_return(const char *line, int length) {
  static const char word[] = "return";
  int n = sizeof word - 1;
  for (int i = 0; i + n <= length; i++)
    if (!memcmp(line + i, word, (size_t)n) &&
        !(i && finding_is_word(line[i - 1])) && !finding_is_word(line[i + n]))
      return true;
  return false;
}

bool finding_is_moot(const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  const char *line;
  int length;
  if (f->kind != ERR_BARRIER || f->severity != GPU_WARNING ||
      !str_starts(f->text, "threads of this warp have left"))
    return false;
  if (!finding_source_line(s, f->other.line, &line, &length))
    return false;
  if (has_return(line, length))
    return true;
  // if (...), and what is done stands below.
  line += length + strspn(line + length, "\r\n\t {");
  return has_return(line, (int)strcspn(line, ";\r\n"));
}

// ---- What it means ----

// Does the source declare the array as extern __shared__?
static bool is_dynamic(const struct finding_subject *s) {
  const char *at = s->scene.source;
  at = at ? strstr(at, "extern __shared__") : NULL;
  if (!at || !s->array[0])
    return at != NULL;
  size_t n = strlen(s->array), bracket = strcspn(at, "[;");
  return at[bracket] == '[' && bracket > n &&
         !finding_is_word(at[bracket - n - 1]) &&
         !strncmp(at + bracket - n, s->array, n);
}

// Does the block's array have a cell for each thread?
static bool has_cell_each(const struct finding_subject *s) {
  const uint32_t *b = s->scene.block;
  return s->elem_bytes > 0 &&
         s->finding->base_bytes >=
             (uint64_t)b[0] * b[1] * b[2] * (uint64_t)s->elem_bytes;
}

// Is a variable declared without a value in the function of the finding's line?
static bool has_empty_variable(const struct finding_subject *s) {
  char *code = s->scene.source
                   ? finding_own_code(s->scene.source, s->finding->at.line)
                   : NULL;
  bool is_found = false;
  for (const char *c = code; c && *c && !is_found; c++) {
    size_t n = 0, name = 0;
    if (c > code && finding_is_word(c[-1]))
      continue;
    while (finding_is_word(c[n]))
      n++;
    const char *after = c + n + strspn(c + n, " ");
    while (finding_is_word(after[name]))
      name++;
    after += name;
    is_found = n && name && finding_type_bytes(c, n) && strchr(";,", *after);
  }
  free(code);
  return is_found;
}

// Between two places only can there be a barrier of any kind, and in global
// memory only one for the whole grid. Where a block has several warps, two threads
// of one may meet as two of different ones do.
static bool is_text_of_use(const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  const uint32_t *g = s->scene.grid;
  bool is_warp = str_starts(f->text, "Both threads are of one warp");
  bool is_grid = (uint64_t)g[0] * g[1] * g[2] > 1;
  const uint32_t *b = s->scene.block;
  bool is_wide = (uint64_t)b[0] * b[1] * b[2] > 32;
  if (f->at.access == GPU_ATOMIC || f->other.access == GPU_ATOMIC)
    return true;
  return f->at.line != f->other.line &&
         !(is_warp && (is_wide || (is_grid && f->space != GPU_SPACE_SHARED)));
}

static void add_indices(struct str *out, const struct finding_subject *s) {
  str_addf(out, "The indices of %s go from 0 to %lld.", s->array,
           (long long)s->elems - 1);
}

// Each of these says whether it is done with what there is to say.

static bool explain_bounds(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  if (f->space == GPU_SPACE_SHARED && is_dynamic(s)) {
    if (has_cell_each(s) && finding_explain_bounds(out, s))
      str_add_char(out, ' ');
    str_add(out, "An extern __shared__ array has the bytes that the launch "
                 "asks for: k{grid =, block =, shared = BYTES}(...).");
    return true;
  }
  // A sentence about an array's cells does not fit what has no name.
  if (f->space == GPU_SPACE_LOCAL && !f->at.access)
    return false;
  if (finding_explain_bounds(out, s) || finding_explain_member(out, s) ||
      finding_explain_pointer(out, s) || !s->array[0])
    return true;
  if (s->elems > 0)
    add_indices(out, s);
  return s->elems > 0;
}

static bool explain_race(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  bool is_mistake = f->severity == GPU_ERROR || s->scene.is_wrong;
  if (is_mistake && finding_explain_race(out, s))
    return true;
  if (str_starts(f->text, "An asynchronous copy")) {
    str_add(out, f->text);
    return true;
  }
  return f->severity != GPU_ERROR; // the sentence says why it is none
}

static bool explain_unset(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  if (f->kind == ERR_UNINITIALISED && f->space == GPU_SPACE_LOCAL &&
      !s->array[0]) {
    str_add(out, "A variable holds whatever was there until it is given one: "
                 "give it a value where it is declared.");
    return true;
  }
  // A variable, or a function's result: the code does not say which it was.
  bool is_either =
      f->space == GPU_SPACE_REGISTER && !s->array[0] && !has_empty_variable(s);
  if (is_either)
    str_add(out,
            "A variable holds whatever was there until it is given one, and "
            "so does the result of a function that ends without return.");
  return is_either;
}

static bool explain_kind(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  bool is_endless =
      f->kind == ERR_TIMEOUT || (f->kind == ERR_DEADLOCK && f->bytes);
  if ((f->kind == ERR_OUT_OF_BOUNDS && explain_bounds(out, s)) ||
      (f->kind == ERR_RACE && explain_race(out, s)) ||
      (f->kind == ERR_TIMEOUT && finding_add_work(out, s)) ||
      (is_endless && finding_explain_loop(out, s)))
    return true;
  if (!finding_is_behind_local(s))
    return explain_unset(out, s);
  if (!finding_explain_bounds(out, s))
    add_indices(out, s);
  return true;
}

void finding_add_explanation(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  const char *advice = finding_advice(f), *own = particular_advice(f);
  if (own)
    str_add(out, own);
  if (own || explain_kind(out, s) || !advice)
    return;
  str_add(out, advice);
  if (f->kind == ERR_RACE && f->text[0] && is_text_of_use(s))
    str_addf(out, " %s", f->text);
}

void finding_add_help(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  const char *advice = finding_advice(f);
  size_t before = out->len;
  finding_add_explanation(out, s);
  if (f->kind == ERR_TIMEOUT && f->space != GPU_SPACE_WARP && advice &&
      out->len > before && !strcmp(out->data + before, advice))
    str_add(out, " For work that is only long, cuda.set_budget(n, all) allows "
                 "for more.");
}

// ---- The excerpt ----

static void add_thread(struct str *out, const struct gpu_place *p) {
  str_addf(out, "block (%u,%u,%u) thread (%u,%u,%u)", p->block[0], p->block[1],
           p->block[2], p->thread[0], p->thread[1], p->thread[2]);
}

void finding_add_who(struct str *out, const struct gpu_finding *f) {
  add_thread(out, &f->at);
  if (f->count > 1)
    str_addf(out, ", and %u more thread%s", f->count - 1,
             f->count == 2 ? "" : "s");
}

static void add_excerpt(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  const char *line;
  int length, marks;
  if (f->at.line == 0) // a real GPU's canary: nobody knows who it was
    return;
  if (!finding_source_line(s, f->at.line, &line, &length)) {
    str_add(out, "\n  ");
    finding_add_who(out, f);
    return;
  }
  int column = finding_column(s, &marks) - 1;
  str_addf(out, "\n%3d | %.*s\n    | ", f->at.line, length, line);
  for (int i = 0; marks && i < column; i++)
    str_add_char(out, line[i] == '\t' ? '\t' : ' ');
  for (int i = 0; i < marks; i++)
    str_add_char(out, '^');
  str_add(out, marks ? " " : "");
  finding_add_who(out, f);
}

// Both lines of a race, each with its thread.
static void add_party(struct str *out, const struct finding_subject *s,
                      const struct gpu_place *p, const char *tail) {
  const struct gpu_finding *f = s->finding;
  const char *line = "";
  int length = 0;
  finding_source_line(s, p->line, &line, &length);
  str_addf(out, "\n%3d | %-*.*s  ", p->line, 40, length, line);
  if (memcmp(f->at.block, f->other.block, sizeof f->at.block) != 0)
    str_addf(out, "block (%u,%u,%u) ", p->block[0], p->block[1], p->block[2]);
  str_addf(out, "thread (%u,%u,%u) %s%s", p->thread[0], p->thread[1],
           p->thread[2],
           f->kind == ERR_UNINITIALISED && p == &f->other ? "uses it"
           : f->kind == ERR_BARRIER && p == &f->at        ? "waits"
           : f->kind == ERR_BARRIER                       ? "is here"
           : p->access == GPU_ATOMIC                      ? "does an atomic"
           : p->access == GPU_READ                        ? "reads"
                                                          : "writes",
           tail);
}

void finding_add_report(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  struct str why = STR_INIT;
  bool is_cached = f->space == GPU_SPACE_TEXTURE || f->space == GPU_SPACE_CONST;
  if (f->file[0] && f->at.line > 0)
    str_addf(out, "%s:%d  ", finding_file(f), f->at.line);
  finding_add_sentence(out, s);
  if (f->kind == ERR_UNINITIALISED && f->other.line > 0 &&
      f->other.line != f->at.line) {
    add_party(out, s, &f->at, "");
    add_party(out, s, &f->other, "");
  } else if (f->kind == ERR_BARRIER && f->other.line > 0 &&
             f->other.line != f->at.line) {
    add_party(out, s, &f->at, "");
    add_party(out, s, &f->other, "");
  } else if (f->kind == ERR_RACE && f->other.access != GPU_ACCESS_NONE) {
    add_party(out, s, &f->at, "");
    add_party(out, s, &f->other, is_cached ? "" : ", nothing in between");
  } else {
    add_excerpt(out, s);
  }
  if (f->node) {
    char kernel[80];
    finding_demangle(f->function, kernel, sizeof kernel);
    str_addf(out, "\n  in node %u of the graph, kernel %s", f->node,
             kernel[0] ? kernel : f->function);
  }
  finding_add_help(&why, s);
  if (why.len)
    str_addf(out, "\n  %s", why.data);
  str_free(&why);
}
