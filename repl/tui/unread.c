// SPDX-License-Identifier: Apache-2.0
// Keys that another reader of the terminal, a whole screen, had read and did not take.
#include "repl/tui/unread.h"

#include "base/str.h"

static struct {
  struct str keys;
  size_t taken; // of them
} unread = {STR_INIT, 0};

bool unread_has(void) {
  return unread.taken < unread.keys.len;
}

int unread_take(void) {
  int key = (unsigned char)unread.keys.data[unread.taken++];
  if (!unread_has()) {
    str_clear(&unread.keys);
    unread.taken = 0;
  }
  return key;
}

void unread_add(const char *keys, size_t n) {
  str_add_bytes(&unread.keys, keys, n);
}
