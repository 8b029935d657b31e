// SPDX-License-Identifier: Apache-2.0
// The compile worker: loads NVRTC, compiles once so that all its libraries are
// in, confines itself, and then serves one compile at a time until the program
// leaves or nothing was asked for 30 s. It may die at any moment, by its own
// abort or by a limit; the program (nvrtc_process.c) then starts another.
#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvrtc/nvrtc.h"
#include "gpu/nvrtc/worker/nvrtc_confine.h"
#include "gpu/nvrtc/worker/nvrtc_refusal.h"
#include "gpu/nvrtc/worker/nvrtc_result.h"
#include "gpu/nvrtc/worker/nvrtc_wire.h"

enum { IDLE_MS = 30000, TRIM_MS = 10000, MAX_ARCHS = 64 };
enum {
  HEAP_BLOCK_BYTES = 32 << 20, // the largest that malloc takes from its heap
  HEAP_KEPT_BYTES = 256 << 20,
  HEAP_STEP_BYTES = 4 << 20
};

// nvrtcResult, from nvrtc.h.
enum { NVRTC_SUCCESS = 0, NVRTC_OUT_OF_MEMORY = 1, NVRTC_COMPILATION = 6 };

struct worker {
  int fd;
#define API(result, name, arguments, required) result(*name) arguments;
#include "gpu/nvrtc/worker/nvrtc_api.def"
#undef API
  int major, minor;
  int archs[MAX_ARCHS];
  int arch_count;
  bool has_landlock;
  struct wire_frame hello; // the folders' names live here
  const char *folders[WIRE_MAX_PARTS];
  int folder_count;
};

// ---- Loading ----

// The builtins are loaded by name when the first program is compiled; loading
// them from NVRTC's own folder first makes that work without a search path.
static void load_builtins(const char *library, int major, int minor) {
  const char *slash = strrchr(library, '/');
  char *path = xasprintf("%.*s/libnvrtc-builtins.so.%d.%d",
                         (int)(slash - library), library, major, minor);
  dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  free(path);
}

static enum err load_symbols(struct worker *w, void *library,
                             struct err_info *e) {
  const char *missing = NULL;
#define API(result, name, arguments, required)                                 \
  *(void **)&w->name = dlsym(library, #name);                                  \
  if (!w->name && (required))                                                  \
    missing = #name;
#include "gpu/nvrtc/worker/nvrtc_api.def"
#undef API
  if (missing)
    return err_set(e, ERR_NOT_FOUND, "it has no %s", missing);
  return ERR_OK;
}

static void load_archs(struct worker *w) {
  int n = 0;
  if (w->nvrtcGetNumSupportedArchs && w->nvrtcGetSupportedArchs &&
      !w->nvrtcGetNumSupportedArchs(&n) && n > 0 && n <= MAX_ARCHS &&
      !w->nvrtcGetSupportedArchs(w->archs))
    w->arch_count = n; // in ascending order
}

static enum err load(struct worker *w, const char *path, struct err_info *e) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return err_set(e, ERR_NOT_FOUND, "%s", dlerror());
  enum err err = load_symbols(w, library, e);
  if (err)
    return err;
  w->nvrtcVersion(&w->major, &w->minor);
  load_builtins(path, w->major, w->minor);
  load_archs(w);
  return ERR_OK;
}

// ---- Options ----

struct words {
  int count;
  char *words[WIRE_MAX_PARTS + 32];
};

static void add_word(struct words *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void add_word(struct words *o, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  if (vasprintf(&o->words[o->count], fmt, args) < 0)
    o->words[o->count] = xstrdup("");
  o->count++;
  va_end(args);
}

static void free_words(struct words *o) {
  for (int i = 0; i < o->count; i++)
    free(o->words[i]);
}

// Options that make a compile faster, and that an older NVRTC does not know.
static bool is_too_new(const struct worker *w, const char *word) {
  int version = 100 * w->major + w->minor;
  return (!strcmp(word, "-minimal") && version < 1204) ||
         ((str_starts(word, "-Ofc=") || str_starts(word, "--split-compile=")) &&
          version < 1300);
}

// Does a name of the source begin with `text`? In a comment it does no harm.
static bool has_name(const char *source, const char *text) {
  for (const char *p = source; (p = strstr(p, text)); p++)
    if (p == source || (!isalnum((unsigned char)p[-1]) && p[-1] != '_'))
      return true;
  return false;
}

// nvcc reads <math.h> and <limits.h> before the source, for the host's sake, so
// that people use their constants without an include.
static void add_pre_includes(const char *source, struct words *o) {
  static const char *const names[][2] = {
      {"math.h", "INFINITY"}, {"math.h", "NAN"},       {"math.h", "HUGE_VAL"},
      {"math.h", "M_"},       {"limits.h", "CHAR_"},   {"limits.h", "INT_M"},
      {"limits.h", "UINT_M"}, {"limits.h", "LONG_"},   {"limits.h", "ULONG_"},
      {"limits.h", "LLONG_"}, {"limits.h", "ULLONG_"}, {"limits.h", "SHRT_"},
      {"limits.h", "USHRT_"}, {"limits.h", "SCHAR_"},  {"limits.h", "UCHAR_"},
  };
  const char *last = "";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i][0] != last && has_name(source, names[i][1]))
      add_word(o, "--pre-include=%s", last = names[i][0]);
}

// Does a source do without all that -minimal leaves out: textures, the runtime's names,
// launches (NVRTC, "Supported Compile Options")? A header may need any of it. It takes a
// fifth less time for a small kernel.
static bool is_plain(const char *source) {
  static const char *const names[] = {"include", "cu",   "CU",
                                      "tex",     "surf", "std"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (has_name(source, names[i]))
      return false;
  return !strstr(source, "<<<");
}

// Cooperative groups read most of libcu++ for the few atomics and traits that they have
// twice, and so take a second to compile. The option leaves their own; whoever names
// the others, or reads libcu++ anyway, gets the whole.
static bool has_light_groups(const char *source) {
  return strstr(source, "cooperative_groups.h") && !strstr(source, "cuda/");
}

// None of the learner's own options, or the debugger's alone.
static bool has_usual_options(const struct compile_head *h,
                              const struct wire_part *own) {
  return !h->option_count || (h->option_count == 1 && !strcmp(own->data, "-G"));
}

// An option with which a source that does not need all compiles faster, to the same PTX.
static const char *find_shortcut(const struct worker *w,
                                 const struct wire_frame *f) {
  const char *source = f->parts[COMPILE_SOURCE].data;
  if (has_light_groups(source))
    return "-D_CG_LIMIT_INCLUDED_DEPENDENCIES";
  return has_usual_options(f->parts[COMPILE_HEAD].data,
                           f->parts + COMPILE_OPTIONS) &&
                 !is_too_new(w, "-minimal") && is_plain(source)
             ? "-minimal"
             : NULL;
}

static void make_options(const struct worker *w, const char *arch,
                         const struct wire_part *own, int own_count,
                         struct words *o) {
  bool has_std = false, has_debug = false;
  o->count = 0;
  add_word(o, "--gpu-architecture=%s", arch);
  for (int i = 0; i < w->folder_count; i++)
    add_word(o, "--include-path=%s", w->folders[i]);
  for (int i = 0; i < own_count; i++) {
    const char *word = own[i].data;
    if (is_too_new(w, word))
      continue;
    has_std |= str_starts(word, "--std") || str_starts(word, "-std");
    has_debug |= !strcmp(word, "-G") || !strcmp(word, "--device-debug");
    add_word(o, "%s", word);
  }
  if (!has_std)
    add_word(o, "--std=c++17");
  if (!has_debug) // which has line numbers of its own
    add_word(o, "-lineinfo");
  // CUB of CUDA 12 warns of its own old parts, eight lines at a time.
  add_word(o, "-DCCCL_IGNORE_DEPRECATED_API");
  // An extern variable that nothing defines would quietly be a new one, all
  // zeros.
  if (w->major >= 12)
    add_word(o, "--diag-error=20044");
}

// ---- Compiling ----

struct output {
  struct result_head head;
  const char *text;
  char *log, *ptx, *cubin;
  size_t log_bytes, ptx_bytes, cubin_bytes;
  const char *names[WIRE_MAX_PARTS];
  int name_count;
  char sentence[256];
};

// Fetches one of NVRTC's byte strings through its pair of calls.
static char *fetch(void *program, int (*size)(void *, size_t *),
                   int (*get)(void *, char *), size_t *bytes) {
  *bytes = 0;
  size_t n = 0;
  if (size(program, &n) || !n)
    return NULL;
  char *data = try_malloc(n);
  if (!data || get(program, data)) {
    free(data);
    return NULL;
  }
  *bytes = n;
  return data;
}

// The newest architecture that NVRTC knows and that is not above `arch`.
static int known_arch(const struct worker *w, int arch) {
  int best = 0;
  for (int i = 0; i < w->arch_count; i++)
    if (w->archs[i] <= arch)
      best = w->archs[i];
  return w->arch_count ? best : arch;
}

// `has_ptxas`: for the machine code of a GPU, of which the PTX is a step.
static bool choose_arch(const struct worker *w, const struct compile_head *h,
                        bool has_ptxas, char arch[16], struct output *out) {
  int known = known_arch(w, h->arch);
  out->head.arch = known;
  // The first with a suffix was CUDA 12's sm_90a.
  out->head.suffix = known == h->arch && w->major >= 12 ? h->suffix : 0;
  if (!known) {
    snprintf(out->sentence, sizeof out->sentence,
             "NVRTC %d.%d cannot compile for sm_%d; the oldest that it knows "
             "is sm_%d: an NVRTC of an older CUDA can (set CUDA_HOME)",
             w->major, w->minor, h->arch, w->archs[0]);
    out->head.err = ERR_UNSUPPORTED;
    return false;
  }
  char suffix[2] = {out->head.suffix, 0};
  bool has_machine_code = known == h->arch && has_ptxas;
  snprintf(arch, 16, "%s_%d%s", has_machine_code ? "sm" : "compute", known,
           suffix);
  return true;
}

static void judge(const struct worker *w, int rc, struct output *out) {
  bool is_memory = rc == NVRTC_OUT_OF_MEMORY ||
                   (out->log && strstr(out->log, "out of memory") &&
                    strstr(out->log, "catastrophic error"));
  if (rc == NVRTC_SUCCESS)
    return;
  out->head.err = is_memory ? ERR_NOMEM
                  : rc == NVRTC_COMPILATION || out->log_bytes > 1
                      ? ERR_COMPILE
                      : ERR_INTERNAL;
  if (out->head.err == ERR_INTERNAL)
    snprintf(out->sentence, sizeof out->sentence, "NVRTC: %s",
             w->nvrtcGetErrorString(rc));
}

// Compiles to a new program, by a shortcut if there is one.
static int build(struct worker *w, const struct wire_frame *f, const char *arch,
                 const char *shortcut, void **program) {
  const struct compile_head *h = f->parts[COMPILE_HEAD].data;
  const struct wire_part *own = f->parts + COMPILE_OPTIONS;
  const struct wire_part *names = own + h->option_count;
  const char *source = f->parts[COMPILE_SOURCE].data;
  struct words options;
  if (*program)
    w->nvrtcDestroyProgram(program);
  int rc = w->nvrtcCreateProgram(program, source, f->parts[COMPILE_FILE].data,
                                 0, NULL, NULL);
  if (rc)
    return rc;
  for (int i = 0; i < h->name_count; i++)
    w->nvrtcAddNameExpression(*program, names[i].data);
  make_options(w, arch, own, h->option_count, &options);
  add_pre_includes(source, &options);
  if (shortcut)
    add_word(&options, "%s", shortcut);
  rc = w->nvrtcCompileProgram(*program, options.count,
                              (const char *const *)options.words);
  free_words(&options);
  return rc;
}

static int build_soon(struct worker *w, const struct wire_frame *f,
                      const char *arch, void **program) {
  const char *shortcut = find_shortcut(w, f);
  int rc = build(w, f, arch, shortcut, program);
  if (rc == NVRTC_COMPILATION && shortcut) // the whole language's words
    rc = build(w, f, arch, NULL, program);
  return rc;
}

// Is it worth trying without ptxas, because it will hardly have a say?
static bool hardly_needs_ptxas(const struct compile_head *h,
                               const char *source) {
  static const char *const names[] = {"asm", "__asm", "printf", "assert",
                                      "malloc"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (has_name(source, names[i]))
      return false;
  return h->want_ptx && !h->option_count && is_plain(source);
}

static bool may_refuse(const struct worker *w, void *program) {
  size_t bytes;
  char *ptx = fetch(program, w->nvrtcGetPTXSize, w->nvrtcGetPTX, &bytes);
  bool may = !ptx || nvrtc_may_refuse(ptx);
  free(ptx);
  return may;
}

// PTX is made without ptxas, a third of a small kernel's time, where that could
// not refuse it.
static int build_as_asked(struct worker *w, const struct wire_frame *f,
                          void **program, struct output *out) {
  const struct compile_head *h = f->parts[COMPILE_HEAD].data;
  bool is_light =
      !h->no_ptxas && hardly_needs_ptxas(h, f->parts[COMPILE_SOURCE].data);
  char arch[16];
  if (!choose_arch(w, h, !h->no_ptxas && !is_light, arch, out))
    return NVRTC_SUCCESS;
  int rc = build_soon(w, f, arch, program);
  if (rc || !is_light || !may_refuse(w, *program))
    return rc;
  choose_arch(w, h, true, arch, out);
  return build_soon(w, f, arch, program);
}

static void compile(struct worker *w, void **own_program,
                    const struct wire_frame *f, struct output *out) {
  const struct compile_head *h = f->parts[COMPILE_HEAD].data;
  const struct wire_part *names = f->parts + COMPILE_OPTIONS + h->option_count;
  int rc = build_as_asked(w, f, own_program, out);
  if (out->head.err)
    return;
  void *program = *own_program;
  out->log = fetch(program, w->nvrtcGetProgramLogSize, w->nvrtcGetProgramLog,
                   &out->log_bytes);
  judge(w, rc, out);
  if (out->head.err)
    return;
  out->cubin =
      fetch(program, w->nvrtcGetCUBINSize, w->nvrtcGetCUBIN, &out->cubin_bytes);
  out->ptx =
      fetch(program, w->nvrtcGetPTXSize, w->nvrtcGetPTX, &out->ptx_bytes);
  for (int i = 0; i < h->name_count; i++) {
    const char *lowered = NULL;
    w->nvrtcGetLoweredName(program, names[i].data, &lowered);
    out->names[out->name_count++] = lowered ? lowered : "";
  }
}

static enum err answer(struct worker *w, const struct output *out) {
  struct wire_part parts[WIRE_MAX_PARTS] = {
      [RESULT_HEAD] = {&out->head, sizeof out->head},
      [RESULT_TEXT] = wire_text(out->sentence),
      [RESULT_LOG] = {out->log, out->log_bytes},
      [RESULT_PTX] = {out->ptx, out->ptx_bytes},
      [RESULT_CUBIN] = {out->cubin, out->cubin_bytes},
  };
  for (int i = 0; i < out->name_count; i++)
    parts[RESULT_NAMES + i] = wire_text(out->names[i]);
  return wire_send(w->fd, WIRE_RESULT, parts,
                   RESULT_NAMES + (uint32_t)out->name_count);
}

static bool is_compile(const struct wire_frame *f) {
  if (f->kind != WIRE_COMPILE || f->count < COMPILE_OPTIONS ||
      f->parts[COMPILE_HEAD].bytes != sizeof(struct compile_head))
    return false;
  const struct compile_head *h = f->parts[COMPILE_HEAD].data;
  uint32_t left = f->count - COMPILE_OPTIONS;
  return h->option_count >= 0 && h->name_count >= 0 &&
         (uint32_t)h->option_count <= left &&
         (uint32_t)h->name_count == left - (uint32_t)h->option_count &&
         left + RESULT_NAMES <= WIRE_MAX_PARTS;
}

static enum err serve_one(struct worker *w, const struct wire_frame *f) {
  struct output out = {0};
  void *program = NULL;
  if (!is_compile(f))
    return ERR_PROTOCOL;
  confine_cpu();
  compile(w, &program, f, &out);
  enum err err = answer(w, &out);
  if (program)
    w->nvrtcDestroyProgram(&program);
  free(out.log);
  free(out.ptx);
  free(out.cubin);
  return err;
}

// ---- Life ----

// Compiles one small kernel, which loads what is loaded late.
static enum err warm_up(struct worker *w, struct err_info *e) {
  static const char source[] = "__global__ void warm(float *x) { *x = 1; }";
  void *program = NULL;
  char arch[32] = "--gpu-architecture=sm_80";
  const char *options[] = {arch, "-lineinfo"};
  if (known_arch(w, 80) != 80)
    snprintf(arch, sizeof arch, "--gpu-architecture=sm_%d",
             w->archs[w->arch_count - 1]);
  int rc = w->nvrtcCreateProgram(&program, source, "warm.cu", 0, NULL, NULL);
  if (!rc)
    rc = w->nvrtcCompileProgram(program, 2, options);
  w->nvrtcDestroyProgram(&program);
  if (rc)
    return err_set(e, ERR_NOT_FOUND, "it cannot compile a first kernel: %s",
                   w->nvrtcGetErrorString(rc));
  return ERR_OK;
}

// Leaves as soon as the program does, even in the middle of a compile.
static void *watch(void *arg) {
  struct pollfd p = {*(int *)arg, POLLRDHUP, 0};
  while (poll(&p, 1, -1) != 1)
    ;
  _exit(0);
}

static void start_watch(struct worker *w) {
  pthread_t thread;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, 256 << 10);
  if (!pthread_create(&thread, &attr, watch, &w->fd))
    pthread_detach(thread);
  pthread_attr_destroy(&attr);
}

static bool take_hello(struct worker *w) {
  if (wire_receive(w->fd, &w->hello, NULL, NULL) ||
      w->hello.kind != WIRE_HELLO || w->hello.count < HELLO_FOLDERS ||
      w->hello.parts[HELLO_HEAD].bytes != sizeof(struct hello_head))
    return false;
  for (uint32_t i = HELLO_FOLDERS; i < w->hello.count; i++)
    w->folders[w->folder_count++] = w->hello.parts[i].data;
  return true;
}

// Confined before the first compile, not after: in it, NVRTC would load the
// GPU's driver where there is one, start it (100 ms), reserve 12 GiB of
// addresses that RLIMIT_AS counts, and compile more slowly ever after.
static enum err get_ready(struct worker *w, struct err_info *e) {
  const struct hello_head *h = w->hello.parts[HELLO_HEAD].data;
  enum err err = load(w, w->hello.parts[HELLO_LIBRARY].data, e);
  int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (!err)
    err = confine_process(w->folders, w->folder_count, h->without_landlock,
                          &w->has_landlock, e);
  if (!err)
    err = warm_up(w, e);
  if (!err)
    err = confine_memory(statm, e);
  if (statm >= 0)
    close(statm);
  return err;
}

static enum err say_ready(struct worker *w, enum err err,
                          const struct err_info *e) {
  struct ready_head head = {err, w->has_landlock, w->major, w->minor};
  struct wire_part parts[READY_COUNT] = {
      [READY_HEAD] = {&head, sizeof head},
      [READY_TEXT] = wire_text(err ? e->text : ""),
  };
  return wire_send(w->fd, WIRE_READY, parts, READY_COUNT);
}

// False when nothing was asked for so long that it is time to leave. What the
// last compile left in the heap, 5 MB, goes back to the machine meanwhile.
static bool await_frame(struct worker *w) {
  struct pollfd p = {w->fd, POLLIN, 0};
  if (poll(&p, 1, TRIM_MS))
    return true;
  malloc_trim(0);
  return poll(&p, 1, IDLE_MS - TRIM_MS);
}

static enum err serve_all(struct worker *w) {
  for (;;) {
    if (!await_frame(w))
      return ERR_OK;
    struct wire_frame f;
    enum err err = wire_receive(w->fd, &f, NULL, NULL);
    if (!err)
      err = serve_one(w, &f);
    wire_free(&f);
    if (err)
      return err == ERR_IO ? ERR_OK : err; // the program left
  }
}

static void set_up_heap(void) {
  // One malloc arena: glibc reserves 64 MiB of addresses for each thread's, and
  // NVRTC has a thread for each core, which RLIMIT_AS would count.
  mallopt(M_ARENA_MAX, 1);
  // A compile takes and gives back the same megabytes many times over. While
  // it runs they stay, or a sixth of its time would be page faults.
  mallopt(M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES);
  mallopt(M_TRIM_THRESHOLD, HEAP_KEPT_BYTES);
  mallopt(M_TOP_PAD, HEAP_STEP_BYTES);
}

int nvrtc_serve(int fd) {
  struct worker w = {.fd = fd};
  struct err_info e = {0};
  set_up_heap();
  if (chdir("/") || !take_hello(&w))
    return 2;
  start_watch(&w);
  enum err err = get_ready(&w, &e);
  if (say_ready(&w, err, &e) || err)
    return err ? 3 : 0;
  return serve_all(&w) ? 2 : 0;
}
