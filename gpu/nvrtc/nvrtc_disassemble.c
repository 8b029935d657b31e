// SPDX-License-Identifier: Apache-2.0
// Machine code as text, through NVIDIA's own disassembler: it is a program,
// not a library, and reads its cubin from a file.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvrtc/nvrtc.h"

enum { MAX_TEXT_BYTES = 64 << 20 };

static const struct {
  const char *name, *option;
} tools[] = {{"nvdisasm", "--print-line-info"}, {"cuobjdump", "--dump-sass"}};

static char *in_folder(const char *folder, const char *name) {
  char *path = xasprintf("%s/%s", folder, name);
  if (!access(path, X_OK))
    return path;
  free(path);
  return NULL;
}

static char *in_path(const char *name) {
  const char *path = getenv("PATH");
  char *copy = xstrdup(path ? path : ""), *save = NULL, *found = NULL;
  for (char *d = strtok_r(copy, ":", &save); d && !found;
       d = strtok_r(NULL, ":", &save))
    found = d[0] == '/' ? in_folder(d, name) : NULL;
  free(copy);
  return found;
}

static char *in_toolkit(const char *variable, const char *name) {
  const char *prefix = getenv(variable);
  char *bin = xasprintf("%s/bin", prefix ? prefix : "");
  char *found = prefix && prefix[0] == '/' ? in_folder(bin, name) : NULL;
  free(bin);
  return found;
}

static char *find_tool(const char *name) {
  char *found = in_toolkit("CUDA_HOME", name);
  if (!found)
    found = in_toolkit("CUDA_PATH", name);
  if (!found)
    found = in_path(name);
  return found ? found : in_folder("/usr/local/cuda/bin", name);
}

// The cubin as a file without a name, which the tool opens through /proc.
static int make_file(const void *cubin, size_t bytes) {
  int fd = memfd_create("kernel.cubin", 0);
  const char *p = cubin;
  while (fd >= 0 && bytes) {
    ssize_t n = write(fd, p, bytes);
    if (n <= 0) {
      close(fd);
      return -1;
    }
    p += n;
    bytes -= (size_t)n;
  }
  return fd;
}

static int start(pid_t *pid, char *program, const char *option, int cubin,
                 int output) {
  extern char **environ;
  posix_spawn_file_actions_t files;
  char *argv[] = {program, (char *)option, (char *)"/proc/self/fd/3", NULL};
  int rc = posix_spawn_file_actions_init(&files);
  if (rc)
    return rc;
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_adddup2(&files, output, 2);
  posix_spawn_file_actions_adddup2(&files, cubin, 3);
  rc = posix_spawn(pid, program, &files, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&files);
  return rc;
}

static void read_text(int fd, struct str *out) {
  char chunk[16384];
  ssize_t n;
  while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
    if (n > 0 && out->len < MAX_TEXT_BYTES)
      str_add_bytes(out, chunk, (size_t)n);
}

static enum err run_tool(char *program, const char *option, int cubin,
                         char **out, struct err_info *e) {
  int ends[2], status = 0;
  pid_t pid;
  struct str text = STR_INIT;
  if (pipe2(ends, O_CLOEXEC))
    return err_set(e, ERR_INTERNAL, "no pipe: %s", strerror(errno));
  int rc = start(&pid, program, option, cubin, ends[1]);
  close(ends[1]);
  if (!rc) {
    read_text(ends[0], &text);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
      ;
  }
  close(ends[0]);
  if (rc || status) {
    err_set(e, ERR_INTERNAL, "%s failed: %.300s", program,
            rc ? strerror(rc) : text.data);
    str_free(&text);
    return ERR_INTERNAL;
  }
  *out = str_take(&text);
  return ERR_OK;
}

enum err nvrtc_disassemble(const void *cubin, size_t bytes, char **out,
                           struct err_info *e) {
  *out = NULL;
  for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
    char *program = find_tool(tools[i].name);
    if (!program)
      continue;
    int fd = make_file(cubin, bytes);
    enum err err =
        fd < 0 ? err_set(e, ERR_NOMEM, "no memory for a copy of the cubin")
               : run_tool(program, tools[i].option, fd, out, e);
    if (fd >= 0)
      close(fd);
    free(program);
    return err;
  }
  return err_set(e, ERR_NOT_FOUND,
                 "nvdisasm and cuobjdump are not on this machine: they come "
                 "with the CUDA toolkit (Debian package nvidia-cuda-toolkit, "
                 "or NVIDIA's cuda-nvdisasm and cuda-cuobjdump) or, without "
                 "root, with pip install nvidia-cuda-nvdisasm or conda "
                 "install cuda-nvdisasm");
}
