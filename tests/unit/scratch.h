// SPDX-License-Identifier: Apache-2.0
// A folder of a test program's own, which is removed when it ends.
#ifndef TESTS_UNIT_SCRATCH_H
#define TESTS_UNIT_SCRATCH_H

#include <stdlib.h>

#include "base/mem.h"

static char folder[] = "/tmp/warpshop-unit-XXXXXX";

static int set_up(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  char *command = xasprintf("rm -rf '%s'", folder);
  int rc = system(command);
  free(command);
  return rc;
}

#endif
