// SPDX-License-Identifier: Apache-2.0
// warpshop-device: the program that alone loads NVIDIA's libraries. It is
// started with exec by gpu/remote and gpu/nvrtc, one mode a process, and by
// the set-up to see whether NVRTC can be used.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/nvrtc/nvrtc.h"

static int find_nvrtc(void) {
  struct nvrtc *n;
  struct nvrtc_found found;
  struct err_info e;
  enum err err = nvrtc_open(NULL, &n, &e);
  if (!err) {
    err = nvrtc_find(n, &found, &e);
    nvrtc_close(n);
  }
  if (err) {
    fprintf(stderr, "%s\n", e.text);
    return 3;
  }
  printf("NVRTC %d.%d %s\n", found.major, found.minor, found.library);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--find-nvrtc"))
    return find_nvrtc();
  if (argc == 3 && !strcmp(argv[1], "--compile"))
    return nvrtc_serve(atoi(argv[2]));
  fprintf(stderr, "warpshop-device is started by warpshop, not by hand.\n"
                  "usage: warpshop-device --find-nvrtc\n");
  return 2;
}
