// SPDX-License-Identifier: Apache-2.0
// A random generator and its distributions: what NumPy's Generator over PCG64,
// or its older RandomState over MT19937, draws from the same seed. Integers and
// uniform numbers have its very bits; what goes through exp and log may differ
// in the last digits.
#ifndef LUA_BIND_NP_NP_DRAW_H
#define LUA_BIND_NP_NP_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MT19937_WORDS = 624 };

struct draw_tables; // of the normal and the exponential distribution

struct generator {
  const struct draw_tables *tables; // the maker's, who keeps them
  unsigned __int128 state;
  unsigned __int128 increment;
  uint32_t half; // the unused half of a draw of 32 bits
  bool has_half;
  bool is_old;     // MT19937, from here on
  bool has_normal; // normal numbers come in pairs
  double next_normal;
  int next_word;
  uint32_t words[MT19937_WORDS];
};

extern const size_t draw_tables_bytes;
void draw_make_tables(struct draw_tables *t);
// Both leave `tables` to the caller; a RandomState's needs none.
void draw_seed(struct generator *g, uint64_t value);
void draw_seed_old(struct generator *g, uint32_t value);
uint64_t draw_64(struct generator *g);
uint32_t draw_32(struct generator *g);
double draw_unit(struct generator *g); // 0 <= x < 1, 53 bits
// From 0 to `range`, which may come.
uint64_t draw_bounded(struct generator *g, uint64_t range);
// The same for types of 8 and 16 bits: `*buffer` and `*left`, 0 at first, keep
// what one draw of 32 bits leaves for the next numbers.
uint32_t draw_narrow(struct generator *g, int bits, uint32_t range,
                     uint32_t *buffer, int *left);

// A distribution with the parameters `p`; whole numbers come as doubles, too.
typedef double (*draw_function)(struct generator *g, const double *p);
struct draw_row {
  const char *name;
  draw_function f;
  bool is_whole;
  int count; // of parameters
  const char *parameters[3];
  double defaults[3]; // NaN: must be given
  // What the parameters must be: '0' not negative, '+' positive, 'p' over 0 and
  // at most 1, '1' from 0 to 1, ' ' anything.
  char rules[4];
};
extern const struct draw_row draw_rows[];
extern const int draw_row_count;

// Swaps at[i] with itself or one before it, for i from n - 1 down to `first`.
// NumPy draws masked numbers in permutation and shuffle, others in choice.
void draw_shuffle(struct generator *g, int64_t *at, int64_t n, int64_t first,
                  bool is_masked);

#endif
