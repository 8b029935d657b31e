// SPDX-License-Identifier: Apache-2.0
// Runs tests/ptx on a real GPU and on the virtual one, and says for each file
// whether the bits are equal, within the error that the manual states, or
// different (a line each, then the totals). Fails when any differ.
//
//   ptx_agree [FILE...]   all files without names; `tests/gpu/run ptx`
//   ptx_agree --self ...  the virtual GPU in place of the real: tries this out
//
// A child process runs the files one after the other. When a file ends with an
// error, which may have spoilt the context, or hangs, or kills its process, the
// next starts in a new one.
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/ptx_compare.h"

enum { PATIENCE_MS = 30000, MAX_LINE = 600 };

enum kind { EQUAL, WITHIN, DIFFERENT, FAILED, VIRTUAL, KINDS };
static const char *const kind_names[KINDS] = {"equal", "within", "DIFFERENT",
                                              "FAILED", "virtual only"};

static const struct gpu_backend *real_back = &gpu_cuda_backend;

// ---- One file, in the child ----

struct verdict {
  enum kind kind;
  char text[MAX_LINE];
};

static void compare(const struct ptx_case *c, const uint64_t *real,
                    const uint64_t *ours, struct verdict *v) {
  int near = 0, wrong = 0, own = 0, all = c->count * c->outputs;
  for (int n = 0; n < all; n++) {
    own += c->is_own[n];
    if (c->is_own[n])
      continue;
    enum ptx_verdict m = ptx_case_compare(c, n, real[n]);
    near += m == PTX_WITHIN || (m == PTX_SAME && real[n] != ours[n]);
    if (m == PTX_DIFFERS && wrong++ == 0)
      snprintf(v->text, sizeof v->text,
               "case %d (0x%llx ...), output %d: GPU 0x%llx, virtual 0x%llx, "
               "manual 0x%llx",
               n / c->outputs + 1,
               (unsigned long long)c->in[n / c->outputs * c->inputs],
               n % c->outputs, (unsigned long long)real[n],
               (unsigned long long)ours[n], (unsigned long long)c->want[n]);
  }
  v->kind = wrong ? DIFFERENT : near ? WITHIN : EQUAL;
  size_t used = strlen(v->text);
  if (wrong)
    snprintf(v->text + used, sizeof v->text - used, "; %d of %d", wrong, all);
  else
    snprintf(v->text, sizeof v->text,
             "%d values, %d not bit for bit, %d the virtual GPU's own",
             all - own, near, own);
}

static void run_both(struct gpu_device *gpu, struct ptx_case *c,
                     struct verdict *v) {
  static uint64_t real[MAX_CASES * MAX_SLOTS], ours[MAX_CASES * MAX_SLOTS];
  struct err_info e;
  struct gpu_device *d;
  bool started;
  memset(real, 0, sizeof real);
  memset(ours, 0, sizeof ours);
  enum err err = ptx_case_run(real_back, gpu, c, real, &started, &e);
  if (err) {
    snprintf(v->text, sizeof v->text, "GPU: %s: %.500s", err_kind(err), e.text);
    return;
  }
  err = gpu_virtual_backend.open(0, NULL, &d, &e);
  if (!err)
    err = ptx_case_run(&gpu_virtual_backend, d, c, ours, &started, &e);
  if (err) {
    snprintf(v->text, sizeof v->text, "virtual: %s: %.500s", err_kind(err),
             e.text);
    return;
  }
  gpu_virtual_backend.close(d);
  compare(c, real, ours, v);
}

static void run_file(struct gpu_device *gpu, const char *path,
                     struct verdict *v) {
  struct ptx_case *c = xcalloc(1, sizeof *c);
  struct err_info e;
  v->kind = FAILED;
  v->text[0] = '\0';
  if (ptx_case_read(path, c, &e))
    snprintf(v->text, sizeof v->text, "%.500s", e.text);
  else if (c->is_virtual || c->error[0])
    v->kind = VIRTUAL;
  else
    run_both(gpu, c, v);
  ptx_case_free(c);
}

// Files from `first` on; one line each to `out`. Never returns.
static void run_child(char **files, size_t first, size_t count, int out) {
  struct err_info e;
  struct gpu_device *gpu;
  if (real_back->open(0, NULL, &gpu, &e)) {
    fprintf(stderr, "# %s\n", e.text);
    _exit(3);
  }
  for (size_t n = first; n < count; n++) {
    struct verdict v;
    run_file(gpu, files[n], &v);
    for (char *at = v.text; *at; at++)
      *at = *at == '\n' ? ' ' : *at;
    dprintf(out, "%d %s\n", (int)v.kind, v.text);
    if (v.kind == FAILED)
      _exit(0);
  }
  _exit(0);
}

// ---- The parent ----

// One line of the child, or why none came.
static bool is_closed;
static bool read_line(int fd, char *line, size_t room) {
  size_t n = 0;
  for (;;) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (poll(&p, 1, PATIENCE_MS) == 0) {
      snprintf(line, room, "%d no answer in %d s", FAILED, PATIENCE_MS / 1000);
      return false;
    }
    char c;
    if (read(fd, &c, 1) != 1) {
      is_closed = true;
      snprintf(line, room, "%d its process ended", FAILED);
      return false;
    }
    if (c == '\n')
      break;
    if (n + 1 < room)
      line[n++] = c;
  }
  line[n] = '\0';
  return true;
}

static const char *short_name(const char *path) {
  const char *at = strstr(path, "tests/ptx/");
  return at ? at + strlen("tests/ptx/") : path;
}

// The rows that the file names.
static void print_ops(const char *path) {
  struct err_info e;
  char *text, name[40];
  size_t bytes;
  if (file_read(path, 1 << 20, &text, &bytes, &e))
    return;
  for (const char *at = text; (at = strstr(at, "// op: ")) != NULL; at++)
    if (sscanf(at, "// op: %39[A-Z0-9]", name) == 1)
      printf("%s ", name);
  free(text);
}

static size_t run_some(char **files, size_t first, size_t count,
                       int totals[KINDS]) {
  int ends[2], status;
  fflush(stdout);
  if (pipe(ends))
    exit(2);
  pid_t child = fork();
  if (child < 0)
    exit(2);
  if (child == 0)
    run_child(files, first, count, ends[1]);
  close(ends[1]);
  bool goes_on = true;
  is_closed = false;
  size_t n = first;
  for (; goes_on && n < count; n++) {
    char line[MAX_LINE + 16];
    goes_on = read_line(ends[0], line, sizeof line);
    int kind = line[0] - '0';
    kind = kind >= 0 && kind < KINDS ? kind : FAILED;
    totals[kind]++;
    print_ops(files[n]);
    printf("| %s | %s | %s\n", short_name(files[n]), kind_names[kind],
           line + 2);
    goes_on = goes_on && kind != FAILED;
  }
  if (!is_closed)
    kill(child, SIGKILL);
  waitpid(child, &status, 0);
  close(ends[0]);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
    exit(3); // there is no GPU
  return n;
}

int main(int argc, char **argv) {
  glob_t found;
  if (argc > 1 && !strcmp(argv[1], "--self")) {
    real_back = &gpu_virtual_backend;
    argc--;
    argv++;
  }
  char **files = argv + 1;
  size_t count = (size_t)argc - 1;
  if (argc == 1) {
    if (glob("tests/ptx/*.ptx", 0, NULL, &found) ||
        glob("tests/ptx/made/*.ptx", GLOB_APPEND, NULL, &found)) {
      fprintf(stderr, "run this in the project's root\n");
      return 2;
    }
    files = found.gl_pathv;
    count = found.gl_pathc;
  }
  int totals[KINDS] = {0};
  for (size_t n = 0; n < count;)
    n = run_some(files, n, count, totals);
  printf("# %zu files:", count);
  for (int k = 0; k < KINDS; k++)
    printf(" %d %s%s", totals[k], kind_names[k], k + 1 < KINDS ? "," : "\n");
  return totals[DIFFERENT] || totals[FAILED] ? 1 : 0;
}
