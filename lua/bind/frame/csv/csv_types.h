// SPDX-License-Identifier: Apache-2.0
// Types of columns, guessed and found.
#ifndef LUA_BIND_FRAME_CSV_CSV_TYPES_H
#define LUA_BIND_FRAME_CSV_CSV_TYPES_H

#include "lua/bind/frame/csv/csv_fields.h"

// A value's type is the sample's, or one of those that come with it.
void csv_note_type(struct csv_found *found, const struct csv_field *f);
// c->sample from some rows; the columns' types.
enum err csv_guess(struct csv *c, struct err_info *e);
// The type of a column of which this was found.
enum csv_type csv_settled(const struct csv_found *found);
void csv_join_found(struct csv_found *all, const struct csv_found *one);

#endif
