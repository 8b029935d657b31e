// SPDX-License-Identifier: Apache-2.0
// Machine code as text, through NVIDIA's own disassembler: it is a program,
// not a library, and reads its cubin from a file.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvrtc/image/nvrtc_tool.h"
#include "gpu/nvrtc/nvrtc.h"

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

enum err nvrtc_disassemble(const void *cubin, size_t bytes, char **out,
                           struct err_info *e) {
  *out = NULL;
  for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
    char *program = find_tool(tools[i].name);
    if (!program)
      continue;
    struct str text = STR_INIT;
    enum err err =
        nvrtc_run_tool(program, tools[i].option, cubin, bytes, &text, e);
    free(program);
    if (err)
      str_free(&text);
    else
      *out = str_take(&text);
    return err;
  }
  return err_set(e, ERR_NOT_FOUND,
                 "nvdisasm and cuobjdump are not on this machine: they come "
                 "with the CUDA toolkit (Debian package nvidia-cuda-toolkit, "
                 "or NVIDIA's cuda-nvdisasm and cuda-cuobjdump) or, without "
                 "root, with pip install nvidia-cuda-nvdisasm or conda "
                 "install cuda-nvdisasm");
}
