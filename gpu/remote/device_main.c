// SPDX-License-Identifier: Apache-2.0
// warpshop-device: the second program, which alone loads NVIDIA's libraries.
// The first one starts it with a socket; a person or a script may ask it:
//
//   warpshop-device --server FD [DEVICE launches=...]  be a device server
//                                  (gpu/remote); the words are for `ps`
//   warpshop-device --line FD COMMAND...  stand in for one that COMMAND reaches
//   warpshop-device --stdio        be what COMMAND reaches: on another machine
//   warpshop-device --compile FD   be a compile worker (gpu/nvrtc)
//   warpshop-device --tier FD      compile for the virtual GPU (gpu/vgpu/tier)
//   warpshop-device --watch-gpus FD  ask NVML, once for each byte that comes
//   warpshop-device --find-nvrtc   print NVRTC's path and version; exit status
//                                  3 when there is none
//   warpshop-device --fatbin FILE  put PTX and cubins together (gpu/nvrtc)
//   warpshop-device --version
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/nvml/nvml.h"
#include "gpu/nvrtc/nvrtc.h"
#include "gpu/remote/remote.h"
#include "gpu/vgpu/tier/tier.h"

enum { EXIT_WRONG_USAGE = 2, EXIT_LACKING = 3 };

static int explain(void) {
  fputs("warpshop-device serves devices and compiles kernels for warpshop,\n"
        "which starts it; run `warpshop` instead. It answers --version and\n"
        "--find-nvrtc.\n",
        stderr);
  return EXIT_WRONG_USAGE;
}

// An open file's number, or -1.
static int parse_fd(const char *text) {
  char *end;
  errno = 0;
  long fd = strtol(text, &end, 10);
  if (errno || end == text || *end || fd < 3 || fd > 1 << 20 ||
      fcntl((int)fd, F_GETFD) < 0)
    return -1;
  return (int)fd;
}

static int find_nvrtc(void) {
  struct nvrtc_options options = {0};
  struct nvrtc *n = NULL;
  struct nvrtc_found found;
  struct err_info e;
  enum err err = nvrtc_open(&options, &n, &e);
  if (!err)
    err = nvrtc_find(n, &found, &e);
  if (err)
    fprintf(stderr, "warpshop-device: %s\n", e.text);
  else
    printf("%s\nNVRTC %d.%d\n", found.library, found.major, found.minor);
  nvrtc_close(n);
  return err ? EXIT_LACKING : 0;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (argc == 2 && !strcmp(mode, "--version")) {
    puts("warpshop-device " WARPSHOP_VERSION);
    return 0;
  }
  if (argc == 2 && !strcmp(mode, "--find-nvrtc"))
    return find_nvrtc();
  if (argc == 3 && !strcmp(mode, "--fatbin"))
    return nvrtc_serve_fatbin(argv[2]);
  if (argc == 2 && !strcmp(mode, "--stdio"))
    return remote_serve_stdio(NULL);
  if (argc > 3 && !strcmp(mode, "--line") && parse_fd(argv[2]) >= 0)
    return remote_serve_line(parse_fd(argv[2]), argv + 3);
  if (argc == 5 && !strcmp(mode, "--server") && parse_fd(argv[2]) >= 0)
    return remote_serve(parse_fd(argv[2]), argv[4]);
  int fd = argc == 3 ? parse_fd(argv[2]) : -1;
  if (fd < 0)
    return explain();
  if (!strcmp(mode, "--server"))
    return remote_serve(fd, NULL);
  if (!strcmp(mode, "--compile"))
    return nvrtc_serve(fd);
  if (!strcmp(mode, "--tier"))
    return vg_tier_serve(fd);
  if (!strcmp(mode, "--watch-gpus"))
    return nvml_serve(fd);
  return explain();
}
