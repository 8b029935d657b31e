// SPDX-License-Identifier: Apache-2.0
// Says where NVRTC lies, for tools/setup.sh: it needs base/ and the list of
// places only, so that it can be built before any library is installed.
// Prints "MAJOR PATH" of the first that has its headers; exit status 1 when
// there is none. Whether it works is for `warpshop-device --find-nvrtc`.
#include <stdio.h>

#include "gpu/nvrtc/toolkit/nvrtc_places.h"

int main(void) {
  struct nvrtc_places found;
  int status = 1;
  nvrtc_places_find(&found);
  for (int i = 0; status && i < found.count; i++)
    if (found.places[i].include_count) {
      printf("%d %s\n", found.places[i].major, found.places[i].library);
      status = 0;
    }
  nvrtc_places_free(&found);
  return status;
}
