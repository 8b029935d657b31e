// SPDX-License-Identifier: Apache-2.0
// From CUDA C text to something a device can load: the compile worker (another
// process), the disk cache in front of it, and diagnostics as data.
#ifndef GPU_NVRTC_NVRTC_H
#define GPU_NVRTC_NVRTC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum nvrtc_severity { NVRTC_ERROR, NVRTC_WARNING, NVRTC_NOTE };

struct nvrtc_diagnostic {
  enum nvrtc_severity severity;
  char *file; // as the request named the source, or a header
  int line;
  int column;   // 1-based; 0 when the compiler named none
  char *text;   // printable, no escape bytes
  char *source; // the source line it points at, or NULL
  char *hint;   // "did you mean blockIdx?", or NULL
};

// How a kernel's parameter was declared. `name` comes from the source and is
// NULL when it could not be found there; the type is checked against the
// mangled name.
enum nvrtc_type {
  NVRTC_BOOL,
  NVRTC_I8,
  NVRTC_U8,
  NVRTC_I16,
  NVRTC_U16,
  NVRTC_I32,
  NVRTC_U32,
  NVRTC_I64,
  NVRTC_U64,
  NVRTC_F16,
  NVRTC_BF16,
  NVRTC_F32,
  NVRTC_F64,
  NVRTC_VOID,   // only behind a pointer
  NVRTC_OPAQUE, // a struct, class or anything else: only its size is known
};

struct nvrtc_param {
  char *name;
  char *declared;         // the type as a person writes it: "const float *"
  bool is_pointer;        // device pointer (or array parameter)
  bool is_const;          // pointee is const
  enum nvrtc_type type;   // of the value, or of what the pointer points at
  uint8_t vector_lanes;   // 2..4 for float4 and its kin, else 1
  uint8_t pointer_levels; // 0 value, 1 T *, 2 T ** ...
  uint32_t bytes;         // of the parameter itself; 0 when unknown
};

struct nvrtc_kernel {
  char *name;      // as the learner wrote it: "add", "mm<16>"
  char *mangled;   // what the module calls it
  int param_count; // -1: only the loaded kernel tells
  struct nvrtc_param *params;
  int registers; // per thread, from the cubin; -1 unknown (PTX)
  int64_t local_bytes;
  int64_t shared_bytes;
};

struct nvrtc_request {
  const char *source;
  const char *file; // name shown in diagnostics: "add.cu"
  const char *arch; // "sm_90", "compute_80" ...
  bool want_ptx;    // PTX in `code` (virtual GPU), else cubin
  // With want_ptx: not even where ptxas might refuse the PTX.
  bool no_ptxas;
  const char *const *options; // learner's own, checked against a list; or NULL
  int option_count;
  const char *const *instantiate; // template instantiations, or NULL
  int instantiate_count;
  bool no_cache;
  bool (*is_cancelled)(void *context);
  void *context;
};

struct nvrtc_program {
  void *code; // cubin, or PTX text (zero-terminated, zero not counted)
  size_t code_bytes;
  bool is_ptx;
  char arch[16];
  int kernel_count;
  struct nvrtc_kernel *kernels; // in source order
  int diagnostic_count;         // warnings when the compile succeeded
  struct nvrtc_diagnostic *diagnostics;
  double compile_ms; // wall time of this call
  bool is_cached;
  char version[16]; // NVRTC's, "13.0"
  char key[65];     // SHA-256 of all that went in, in hex
};

struct nvrtc; // the compiler: a warm worker process and the cache

struct nvrtc_options {
  const char *program;      // warpshop-device; NULL: file_device_program()
  const char *cache_folder; // NULL: under XDG_CACHE_HOME
  double deadline_s;        // processor time of one compile; 0: 10 s
  double standstill_s;      // tests: of a worker that gets none; 0: 120 s
  bool without_landlock;    // tests: confine the worker the other way
};

enum err nvrtc_open(const struct nvrtc_options *options, struct nvrtc **out,
                    struct err_info *e);
void nvrtc_close(struct nvrtc *n);

// Starts the worker if none runs, so that the next compile finds it warm; not
// on a crowded machine.
void nvrtc_warm_up(struct nvrtc *n);

// Reaps a worker that left; for a program that waits for something else.
void nvrtc_reap(struct nvrtc *n);

// Compiles or finds in the cache. On ERR_OK `*out` holds the code; on
// ERR_COMPILE it holds the diagnostics and no code; else it is NULL and `e`
// says why in a sentence: ERR_TIMEOUT and ERR_NOMEM (the compiler's own limits
// of processor time and memory, the same however busy the machine is),
// ERR_CANCELLED, ERR_NOT_FOUND (no NVRTC on this machine), ERR_INTERNAL (the
// compiler died, and a fresh one did so again), ERR_IO (the machine did not let
// either run).
enum err nvrtc_compile(struct nvrtc *n, const struct nvrtc_request *request,
                       struct nvrtc_program **out, struct err_info *e);
void nvrtc_program_free(struct nvrtc_program *p);

// ---- What comes with its host code (host.c) ----

// Compiles what `*text` then holds. A program, to be freed, also comes where the
// compiler has complained; else NULL.
typedef enum err host_compiler(void *context, struct nvrtc_program **out,
                               struct err_info *e);

// A whole program is compiled by its kernels: where `*text` as it is does not
// compile, again with blanks over what is found to be the host's.
enum err host_compile(char **text, host_compiler *compile, void *context,
                      struct nvrtc_program **out, struct err_info *e);

// ---- What comes compiled (nvrtc_image.c) ----

enum nvrtc_image {
  NVRTC_IMAGE_NONE,
  NVRTC_IMAGE_PTX,
  NVRTC_IMAGE_CUBIN,
  NVRTC_IMAGE_FATBIN
};
enum nvrtc_image nvrtc_image_kind(const void *data, size_t bytes);

// A program from PTX text, a cubin or a fatbin, for a device of `arch`.
// `want_ptx`: its code is PTX, taken out of a fatbin; else it is the image, from
// which a driver chooses. A kernel's types come from its mangled name and the
// PTX; a kernel of a cubin whose name is not mangled has a param_count of -1.
// ERR_ARGUMENT: bytes that are no image, or damaged; ERR_UNSUPPORTED: no PTX in
// it; ERR_NOT_FOUND: no library that decompresses it.
enum err nvrtc_load_image(const void *data, size_t bytes, const char *arch,
                          bool want_ptx, struct nvrtc_program **out,
                          struct err_info *e);

// A fatbin of such members, made by NVIDIA's nvFatbin library in another
// process; needs no GPU. ERR_NOT_FOUND: the library is not on this machine.
struct nvrtc_member {
  const void *data;
  size_t bytes;
  bool is_ptx; // else a cubin
  int arch;    // 80
};
enum err nvrtc_make_fatbin(const struct nvrtc_member *members, int count,
                           struct str *out, struct err_info *e);
// Its half in warpshop-device, which reads members from a file and prints the
// fatbin. Returns an exit status.
int nvrtc_serve_fatbin(const char *path);

// The part of a source whose lines are numbered from 1 under the name `file`:
// what follows its `#line 1 "file"`, or all of it.
const char *nvrtc_numbered_part(const char *source, const char *file);

// The diagnostics as a person reads them: place, text, source line, caret. Of
// many only the first are shown, and how many more there are.
char *nvrtc_format(const struct nvrtc_diagnostic *d, int count);

// Where NVRTC was found and what it is, for `doctor`; ERR_NOT_FOUND lists the
// places that were searched.
struct nvrtc_found {
  char library[256];
  char include[256];
  int major, minor;
  bool has_landlock; // what confines the worker
};
enum err nvrtc_find(struct nvrtc *n, struct nvrtc_found *out,
                    struct err_info *e);
// How to get it, for a machine that has none: "`make learn` fetches it", or where
// an installed program has that written. The caller frees it.
char *nvrtc_way(void);

// PTX to SASS text with cuobjdump or nvdisasm where one is installed.
enum err nvrtc_disassemble(const void *cubin, size_t bytes, char **out,
                           struct err_info *e);

// The worker's half, in warpshop-device: serves compiles on socket `fd`.
int nvrtc_serve(int fd);

#endif
