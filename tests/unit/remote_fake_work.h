// SPDX-License-Identifier: Apache-2.0
// What runs on the device of remote_fake.h: its kernels, when they are done, and
// what they have to say.
#ifndef TESTS_UNIT_REMOTE_FAKE_WORK_H
#define TESTS_UNIT_REMOTE_FAKE_WORK_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "gpu/remote/remote.h"
#include "gpu/remote/ring.h"

enum { FAKE_NOWHERE = 64 }; // an address that no copy takes

#define KERNELS(X)                                                             \
  X(ADD_ONE)                                                                   \
  X(APPEND)                                                                    \
  X(SLEEP)                                                                     \
  X(HANG)                                                                      \
  X(BLOCK)                                                                     \
  X(FAIL)                                                                      \
  X(MISS)                                                                      \
  X(SPOIL)                                                                     \
  X(CRASH)                                                                     \
  X(LEAVE)                                                                     \
  X(PRINT)                                                                     \
  X(SPY)
enum kernel {
#define X(name) name,
  KERNELS(X)
#undef X
      KERNEL_COUNT
};
static const char *const kernel_names[] = {
#define X(name) #name,
    KERNELS(X)
#undef X
};

struct fake {
  struct gpu_device base;
  const struct gpu_options options;
  uint64_t busy_until;
  struct err_info failure;
  bool is_spoiled;
  bool is_capturing; // then a poll is a mistake, as on a real GPU
  int captured;      // launches of the graph
  int finding_count;
  gpu_ptr blocks[64];
};

#define FAKE(d) ((struct fake *)(d))

static void fail_with(struct fake *f, enum err code, const char *text) {
  if (!f->failure.code)
    err_set(&f->failure, code, "%s", text);
}

// What can it do that it should not?
static void look_around(uint32_t *data) {
  int end = 0;
  data[0] = open("/etc/passwd", O_RDONLY) >= 0;
  data[1] = socket(AF_INET, SOCK_STREAM, 0) >= 0;
  data[2] = execl("/bin/true", "true", NULL) == 0;
  // The list of calls refuses before it is looked whether there is such a file.
  data[3] = open("/no/such/file", O_RDONLY) >= 0 || errno != EACCES;
  data[4] = prctl(PR_GET_PDEATHSIG, &end) || end != SIGKILL;
}

static enum err fake_launch(struct gpu_device *d, const struct gpu_launch *l,
                            struct err_info *e) {
  struct fake *f = FAKE(d);
  uint64_t args[2] = {0};
  (void)e;
  if (f->is_capturing) {
    f->captured++;
    return ERR_OK;
  }
  memcpy(args, l->params, l->param_bytes < 16 ? l->param_bytes : 16);
  uint32_t *data = (uint32_t *)(uintptr_t)args[0];
  switch ((enum kernel)l->function) {
  case ADD_ONE:
    for (uint64_t i = 0; i < args[1]; i++)
      data[i]++;
    break;
  case APPEND: data[++data[0]] = (uint32_t)args[1]; break;
  case SLEEP: f->busy_until = clock_ns() + args[0] * 1000000; break;
  case HANG: f->busy_until = UINT64_MAX; break;
  case BLOCK: // as a driver call that does not come back
    for (volatile bool is_on = true; is_on;)
      ;
    break;
  case FAIL:
    fail_with(f, ERR_OUT_OF_BOUNDS, "out[4096]");
    f->finding_count = 1;
    break;
  case MISS: fail_with(f, ERR_UNINITIALISED, "out[3] was never written"); break;
  case SPOIL:
    fail_with(f, ERR_TRAP, "the context is gone");
    f->is_spoiled = true;
    break;
  case CRASH: abort();
  case LEAVE: fputs("one line\nthe driver said no\n", stderr); _exit(3);
  case PRINT:
    for (uint64_t i = 0; i < args[0]; i++)
      f->options.print(f->options.context, "hello\n", 6);
    break;
  case SPY: look_around(data); break;
  default: return ERR_ARGUMENT;
  }
  return ERR_OK;
}

static enum err fake_poll(struct gpu_device *d, gpu_handle stream,
                          struct err_info *e) {
  struct fake *f = FAKE(d);
  (void)stream;
  if (f->is_capturing)
    fail_with(f, ERR_INTERNAL, "polled in a capture");
  if (clock_ns() < f->busy_until)
    return ERR_NOT_READY;
  *e = f->failure;
  if (!f->is_spoiled)
    f->failure.code = ERR_OK;
  return e->code;
}

static int fake_findings(struct gpu_device *d, struct gpu_finding *out,
                         int max) {
  int n = FAKE(d)->finding_count < max ? FAKE(d)->finding_count : max;
  for (int i = 0; i < n; i++)
    out[i] = (struct gpu_finding){.kind = ERR_OUT_OF_BOUNDS, .offset = 16384};
  FAKE(d)->finding_count = 0;
  return n;
}

static enum err fake_cancel(struct gpu_device *d, struct err_info *e) {
  struct fake *f = FAKE(d);
  (void)e;
  if (clock_ns() < f->busy_until) {
    f->busy_until = 0;
    fail_with(f, ERR_CANCELLED, "stopped");
  }
  return ERR_OK;
}

// ---- Debugger ----

static enum err fake_debug_begin(struct gpu_device *d,
                                 const struct gpu_launch *l, gpu_handle twin,
                                 struct err_info *e) {
  (void)d, (void)l, (void)twin, (void)e;
  return ERR_OK;
}

// Of a server that nobody can trust: texts without an end.
static enum err fake_debug_answer(struct gpu_device *d,
                                  struct gpu_debug_stop *stop, char *text,
                                  size_t room, struct err_info *e) {
  (void)d, (void)e;
  memset(stop->file, 'f', sizeof stop->file);
  memset(stop->function, 'g', sizeof stop->function);
  memset(text, 'x', room);
  return ERR_OK;
}

#define FAKE_DEBUGGER                                                          \
  .debug_begin = fake_debug_begin, .debug_answer = fake_debug_answer

#endif
