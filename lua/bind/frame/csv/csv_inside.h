// SPDX-License-Identifier: Apache-2.0
// What the files of this room share: the open file, its blocks, the threads that
// work on them, fields.
#ifndef LUA_BIND_FRAME_CSV_CSV_INSIDE_H
#define LUA_BIND_FRAME_CSV_CSV_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "lua/bind/frame/csv/csv.h"
#include "lua/bind/frame/csv/csv_values.h"

// CSV_PADDING: so many bytes behind a text may be looked at, the first of which is
// a newline.
enum { CSV_MOST_THREADS = 64, CSV_PADDING = 64 };

// Text that one thread works on: it begins with a row.
struct csv_piece {
  struct csv *csv;
  const char *from, *end;
  bool is_stray; // a quote stood within a field
};

// Rows that are read in one go, and what was found of them.
struct csv_block {
  int64_t from;            // in the file; they end where the next block begins
  int64_t first_row, rows; // among all that are read now
  bool is_sure;            // of how many rows there are
  int worker;              // whose dictionaries its codes are of
};

// What a block has of a column.
struct csv_found {
  enum csv_type type; // the sample's, and what takes all values
  bool has_missing, has_negative;
  bool has_minus_zero; // "-0" is another number as f64
  bool is_float;       // of CSV_I64: its values are stored as f64
  bool is_off;         // values were not stored
  int32_t texts;       // how many texts the worker had found behind it
};

struct csv_book; // a worker's dictionary of a column, in csv_texts.c
struct csv_join;
struct stretches;

struct csv_worker {
  struct csv *csv;
  int index;
  struct csv_piece piece;
  char *room; // for a text
  size_t room_bytes;
  struct csv_book *books; // of each column
  int book_count;
  pthread_t thread;
  bool is_started;
};

// What goes wrong first in the file, in its own words.
struct csv_mistake {
  int64_t at; // in the file; -1: nothing
  int column; // or -1
  char text[256];
};

struct csv {
  int fd;
  char *path;
  struct csv_options options;
  struct na_texts na;
  bool stops[256]; // what can end a field, or is a quote
  bool is_quick;   // csv_quick.h may be used
  // The file's beginning, or all of it.
  char *buffer;
  size_t used, capacity;
  bool is_ended;  // all of the file is in the buffer
  int64_t start;  // of the next rows, in the file
  int64_t size;   // of the file
  bool has_stray; // where rows end is found one by one

  struct stretches *stretches; // while they are counted, in csv_blocks.c
  struct csv_join *join;       // of a column, in csv_join.c

  // The rows that are read now.
  struct csv_block *blocks; // and one behind the last, whose `from` is the end
  int64_t block_count;
  int64_t most;      // that were asked for
  int64_t row_bytes; // of a row, about
  bool has_quotes;
  struct csv_column *columns; // the caller's
  int count;
  struct csv_found *sample; // of each column
  struct csv_found *found;  // of each block's each column

  struct csv_worker workers[CSV_MOST_THREADS];
  atomic_llong next_block;
  atomic_int stop; // enum err: no more blocks are begun
  pthread_mutex_t lock;
  struct err_info error;      // of the worker that stopped it
  struct csv_mistake mistake; // the first one

  char *names; // one behind the other
  size_t *name_ends;
  int name_count, name_capacity;
  int64_t names_start, names_back;
};

#endif
