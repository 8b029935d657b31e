// SPDX-License-Identifier: Apache-2.0
// The judge's end: starts warpshop-learner, sends it a request, and believes of
// its answer only what fits what was asked for.
#include "grade/learner/learner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/str.h"
#include "base/wire.h"
#include "gpu/nvrtc/cache/cache.h"
#include "grade/learner/learner_wire.h"
#include "lua/bind/state/bind.h"

enum { CPU_LIMIT_S = 60, MAX_ENVIRONMENT = 16 };

// ---- The process ----

// Of the environment only where files and libraries lie; jax computes on the
// host, and no library starts threads.
static void make_environment(char **out, char buffer[][4096]) {
  static const char *const kept[] = {"WARPSHOP_HOME", "LD_LIBRARY_PATH",
                                     "ASAN_OPTIONS", "UBSAN_OPTIONS"};
  int n = 0;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    const char *value = getenv(kept[i]);
    if (value && snprintf(buffer[n], 4096, "%s=%s", kept[i], value) < 4096) {
      out[n] = buffer[n];
      n++;
    }
  }
  out[n++] = "JAX_PLATFORMS=cpu";
  out[n++] = "OPENBLAS_NUM_THREADS=1";
  out[n++] = "OMP_NUM_THREADS=1";
  out[n] = NULL;
}

static int spawn(const char *program, int socket, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none, all;
  char *environment[MAX_ENVIRONMENT], buffer[4][4096];
  char *arguments[] = {(char *)program, "--run", NULL};
  make_environment(environment, buffer);
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, socket, 3);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setpgroup(&how, 0); // Ctrl-C is for us
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK |
                                     POSIX_SPAWN_SETSIGDEF |
                                     POSIX_SPAWN_SETPGROUP);
  int status = posix_spawn(pid, program, &files, &how, arguments, environment);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return status;
}

static enum err start(const struct learner_request *q, int *fd, pid_t *pid,
                      struct err_info *e) {
  int pair[2];
  char *found = q->program ? NULL : file_learner_program();
  const char *program = q->program ? q->program : found;
  if (!program)
    return err_set(e, ERR_NOT_FOUND,
                   "the program warpshop-learner is not beside this one nor in "
                   "libexec/warpshop; `warpshop doctor` shows what is missing");
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
    free(found);
    return err_set(e, ERR_IO, "no channel to a learner's process: %s",
                   strerror(errno));
  }
  int high = fcntl(pair[1], F_DUPFD_CLOEXEC, 10); // above what it is put on
  close(pair[1]);
  int status = high < 0 ? errno : spawn(program, high, pid);
  if (high >= 0)
    close(high);
  enum err err = ERR_OK;
  if (status) {
    close(pair[0]);
    err = err_set(e, ERR_NOT_FOUND, "cannot start %s: %s", program,
                  strerror(status));
  }
  free(found);
  *fd = pair[0];
  return err;
}

// ---- Asking ----

void learner_write_library(struct str *out) {
  static const char *const folders[] = {"lua/array", "lua/cuda", "lua/jax",
                                        "lua/np"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    bind_write_chunks(folders[i], out);
}

static bool send_request(int fd, const struct learner_request *q) {
  struct str record = STR_INIT;
  if (q->kernels)
    nvrtc_record_write(q->kernels, &record);
  struct learner_ask ask = {
      .magic = LEARNER_MAGIC,
      .text_bytes = (uint32_t)strlen(q->text),
      .budget = q->budget,
      .cpu_limit_s = q->cpu_limit_s ? q->cpu_limit_s : CPU_LIMIT_S,
      .input_count = q->input_count,
      .result_count = q->result_count,
      .record_bytes = (uint32_t)record.len,
      .kernels_bytes = q->kernels ? (uint32_t)strlen(q->kernels_text) : 0,
      .library_bytes = q->library ? q->library->len : 0,
  };
  if (q->kernels)
    snprintf(ask.kernels_file, sizeof ask.kernels_file, "%s", q->kernels_file);
  snprintf(ask.entry, sizeof ask.entry, "%s", q->entry);
  snprintf(ask.file, sizeof ask.file, "%s", q->file);
  bool is_sent =
      wire_write(fd, &ask, sizeof ask) &&
      wire_write(fd, q->text, ask.text_bytes) &&
      wire_write(fd, record.data, ask.record_bytes) &&
      wire_write(fd, q->kernels_text, ask.kernels_bytes) &&
      wire_write(fd, q->library ? q->library->data : "", ask.library_bytes) &&
      wire_write(fd, q->results, (size_t)q->result_count * sizeof *q->results);
  for (int i = 0; i < q->input_count && is_sent; i++)
    is_sent = wire_write(fd, &q->inputs[i], sizeof q->inputs[i]) &&
              wire_write(fd, q->inputs[i].data, q->inputs[i].bytes);
  str_free(&record);
  return is_sent;
}

// ---- The answer ----

static enum err go_on_waiting(void *context) {
  const struct learner_request *q = context;
  return q->is_cancelled && q->is_cancelled(q->context) ? ERR_CANCELLED
                                                        : ERR_OK;
}

static bool read_some(int fd, const struct learner_request *q, void *data,
                      size_t bytes, bool *is_cancelled) {
  enum err err = wire_read_while(fd, data, bytes, go_on_waiting, (void *)q);
  *is_cancelled = err == ERR_CANCELLED;
  return !err;
}

static size_t elements_of(const struct learner_value *v) {
  size_t n = 1;
  for (int d = 0; d < v->ndim; d++)
    n *= (size_t)v->shape[d];
  return n;
}

// A result's name and shape are ours; its type and bytes must fit them.
static bool read_result(int fd, const struct learner_request *q, int i,
                        struct learner_value *out, bool *is_cancelled) {
  struct learner_value got;
  const struct learner_value *want = &q->results[i];
  if (!read_some(fd, q, &got, sizeof got, is_cancelled) ||
      got.dtype >= DTYPE_COUNT)
    return false;
  *out = *want;
  out->dtype = got.dtype;
  out->integer = got.integer;
  out->number = got.number;
  out->data = NULL;
  size_t bytes = elements_of(want) * dtype_bytes(got.dtype);
  if (got.bytes != bytes)
    return !got.bytes && !want->ndim;
  out->data = try_malloc(bytes);
  out->bytes = bytes;
  return out->data && read_some(fd, q, out->data, bytes, is_cancelled);
}

// Texts end where they must, and lines are lines.
static void take_told(const struct learner_tell *tell,
                      struct learner_answer *out) {
  memcpy(out->text, tell->text, sizeof out->text);
  memcpy(out->kind, tell->kind, sizeof out->kind);
  memcpy(out->code, tell->code, sizeof out->code);
  out->text[sizeof out->text - 1] = 0;
  out->kind[sizeof out->kind - 1] = out->code[sizeof out->code - 1] = 0;
  out->calls = tell->calls;
  out->note_count = tell->note_count;
  for (int i = 0; i < tell->note_count; i++) {
    struct learner_note *n = &out->notes[i];
    *n = tell->notes[i];
    n->text[sizeof n->text - 1] = 0;
    n->line = n->line > 0 ? n->line : 0;
    n->other_line = n->other_line > 0 ? n->other_line : 0;
  }
}

static bool read_answer(int fd, const struct learner_request *q,
                        struct learner_answer *out, bool *is_cancelled) {
  struct learner_tell tell;
  if (!read_some(fd, q, &tell, sizeof tell, is_cancelled) ||
      tell.magic != LEARNER_MAGIC || tell.end < -1 || tell.end > LEARNER_DIED ||
      tell.output_bytes > LEARNER_OUTPUT || tell.note_count < 0 ||
      tell.note_count > LEARNER_MAX_NOTES)
    return false;
  take_told(&tell, out);
  out->end = (enum learner_end)tell.end;
  out->line = tell.line > 0 ? tell.line : 0;
  out->work = tell.work;
  out->output_bytes = tell.output_bytes;
  out->output = xmalloc(LEARNER_OUTPUT + 1);
  if (!read_some(fd, q, out->output, tell.output_bytes, is_cancelled))
    return false;
  out->output[tell.output_bytes] = 0;
  for (int i = 0; tell.end == LEARNER_DONE && i < q->result_count; i++)
    if (!read_result(fd, q, i, &out->results[i], is_cancelled))
      return false;
  return true;
}

void learner_answer_free(struct learner_answer *a) {
  for (int i = 0; i < LEARNER_MAX_VALUES; i++)
    free(a->results[i].data);
  free(a->output);
  memset(a, 0, sizeof *a);
}

// ---- One run ----

static bool used_its_time(int status) {
  return WIFSIGNALED(status) &&
         (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
}

static void say_death(struct learner_answer *out, int status) {
  learner_answer_free(out);
  out->end = LEARNER_DIED;
  if (WIFSIGNALED(status))
    snprintf(out->text, sizeof out->text, "its process was ended by signal %d",
             WTERMSIG(status));
  else
    snprintf(out->text, sizeof out->text, "its process ended with status %d",
             WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

// `*status` is that of a process that ended without an answer, else 0.
static enum err run_once(const struct learner_request *q,
                         struct learner_answer *out, int *status,
                         struct err_info *e) {
  int fd = -1;
  pid_t pid = 0;
  bool is_cancelled = false;
  memset(out, 0, sizeof *out);
  *status = 0;
  enum err err = start(q, &fd, &pid, e);
  if (err)
    return err;
  bool is_answered =
      send_request(fd, q) && read_answer(fd, q, out, &is_cancelled);
  close(fd);
  if (is_cancelled || is_answered)
    kill(pid, SIGKILL);
  *status = process_wait(pid);
  if (is_cancelled)
    return err_set(e, ERR_CANCELLED, "stopped");
  if (is_answered && (int)out->end == -1)
    return err_set(e, ERR_UNSUPPORTED, "%s", out->text);
  if (is_answered)
    *status = 0;
  else
    say_death(out, *status);
  return ERR_OK;
}

enum err learner_run(const struct learner_request *q,
                     struct learner_answer *out, struct err_info *e) {
  int status = 0;
  for (int attempt = 0; attempt < 2; attempt++) {
    enum err err = run_once(q, out, &status, e);
    if (err || out->end != LEARNER_DIED) {
      if (err)
        learner_answer_free(out);
      return err;
    }
  }
  if (!used_its_time(status))
    return ERR_OK;
  learner_answer_free(out);
  return err_set(e, ERR_TIMEOUT,
                 "twice the learner's process used up its processor time, or "
                 "was killed, before its counted work was done");
}
