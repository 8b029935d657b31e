// SPDX-License-Identifier: Apache-2.0
// Bytes from a terminal into keys. Nothing is lost, however the bytes are cut into
// pieces on their way; a pure function of them, and of when no more have come.
#ifndef DISPLAY_KEYS_H
#define DISPLAY_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "display/display.h"

enum { KEYS_OWN = 24, KEYS_OWN_BYTES = 12, KEYS_MOST_PASTE = 1 << 20 };

struct keys {
  struct str in;    // not taken yet
  struct str paste; // between its brackets, or whole
  bool is_in_paste;
  int row, column; // of the screen, where the mouse was pressed last
  int waits;       // for the rest of an answer of the terminal's, in vain
  int turned,
      turns; // what the wheel's last turn is as a key, and how often still
  // What this terminal sends for a key (terminfo).
  struct {
    char bytes[KEYS_OWN_BYTES];
    int key;
  } own[KEYS_OWN];
  int own_count;
};

void keys_init(struct keys *k);
void keys_free(struct keys *k);
// Text that this terminal sends for a key; longer ones are left out.
void keys_know(struct keys *k, const char *bytes, int key);
void keys_add(struct keys *k, const char *bytes, size_t count);
// The next key, or 0: there is none, or it is not whole. `is_over`: no more bytes
// came for a while, so what is there is all: an escape byte is the key Esc.
int keys_next(struct keys *k, bool is_over);
// Is there a piece of a key?
bool keys_has_piece(const struct keys *k);

#endif
