// SPDX-License-Identifier: Apache-2.0
// warpshop grade --again VERDICTS FILE...: judges what was judged before, on whatever
// machine, and says what of the old verdict the new one agrees with.
#ifndef GRADE_SUBCOMMAND_AGAIN_H
#define GRADE_SUBCOMMAND_AGAIN_H

struct again {
  const char *verdicts; // what grade --json printed, or its journal
  char **files;
  int file_count;
  const char *secret, *learner, *device; // as grade's options; NULL: not said
};
// Prints; an exit status: 0 all verdicts are the same, 1 one is not, 2 a file is not
// what was judged, or its seeds cannot be drawn again, 3 this machine cannot judge.
int again_run(const struct again *q);

#endif
