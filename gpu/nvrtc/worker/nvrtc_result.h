// SPDX-License-Identifier: Apache-2.0
// What the compile worker is asked and what it answers, part by part, on top
// of nvrtc_wire.h.
#ifndef GPU_NVRTC_WORKER_NVRTC_RESULT_H
#define GPU_NVRTC_WORKER_NVRTC_RESULT_H

#include <stdint.h>

// WIRE_HELLO: head, library, then the folders that headers may come from.
struct hello_head {
  int32_t without_landlock;
};
enum { HELLO_HEAD, HELLO_LIBRARY, HELLO_FOLDERS };

// WIRE_READY: head, why it is not ready (or "").
struct ready_head {
  int32_t err; // enum err
  int32_t has_landlock;
  int32_t major, minor;
};
enum { READY_HEAD, READY_TEXT, READY_COUNT };

// WIRE_COMPILE: head, source, its name, then options, then name expressions.
struct compile_head {
  int32_t arch; // 90 for sm_90
  char suffix;  // 'a' or 'f' of sm_90a, or 0
  int32_t want_ptx;
  int32_t no_ptxas;
  int32_t option_count;
  int32_t name_count;
};
enum { COMPILE_HEAD, COMPILE_SOURCE, COMPILE_FILE, COMPILE_OPTIONS };

// WIRE_RESULT: head, what went wrong (or ""), the compiler's log, PTX (or ""),
// cubin (or ""), then the mangled name of each name expression.
struct result_head {
  int32_t err;  // enum err
  int32_t arch; // what it was compiled for
  char suffix;
};
enum {
  RESULT_HEAD,
  RESULT_TEXT,
  RESULT_LOG,
  RESULT_PTX,
  RESULT_CUBIN,
  RESULT_NAMES
};

#endif
