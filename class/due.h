// SPDX-License-Identifier: Apache-2.0
// What is due when, as the gradebook has told the caller (class book return).
#ifndef CLASS_DUE_H
#define CLASS_DUE_H

#include <stdint.h>

#include "base/str.h"
#include "class/room.h"

// Adds a line that says when the exercise is due and what being handed in at `time_s`
// costs; nothing where the book has told nothing. `room` is its folder.
void due_add(const char *room, const char *exercise, int64_t time_s,
             struct str *out);

#endif
