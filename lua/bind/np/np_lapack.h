// SPDX-License-Identifier: Apache-2.0
// What the np_lapack*.c files share. LAPACK stores matrices by columns and is
// called here in f64, one matrix of a stack at a time.
#ifndef LUA_BIND_NP_NP_LAPACK_H
#define LUA_BIND_NP_NP_LAPACK_H

#include "lua/bind/np/np.h"

// Matrices of m rows and n columns, one behind the other, by rows.
struct matrices {
  struct array *array; // contiguous, f64
  double *data;
  int64_t count;
  int m, n;
};

// Pushes a copy in f64 of the array at index `i`, which has at least two axes.
struct matrices lapack_push_copy(lua_State *L, int i, const char *function);
// The same of argument 1, whose matrices must be square.
struct matrices lapack_push_square(lua_State *L, const char *function);
// Pushes an array with the axes of `x` in front of its matrices and then
// `ndim` more (0 to 2).
double *lapack_push_result(lua_State *L, const struct matrices *x, int ndim,
                           int64_t m, int64_t n);
// Pushes memory for `n` numbers, as a userdata.
double *lapack_push_doubles(lua_State *L, int64_t n);
int *lapack_push_ints(lua_State *L, int64_t n);

void lapack_to_columns(double *to, const double *from, int m, int n);
// The first m rows and n columns of a matrix by columns with `height` rows.
void lapack_to_rows(double *to, const double *from, int m, int n, int height);

// Raises a LinAlgError that names matrix `i` of the stack.
int lapack_fail(lua_State *L, const char *function, const struct matrices *x,
                int64_t i, const char *fmt, ...)
    __attribute__((format(printf, 5, 6), noreturn));

// Adds the functions of np_lapack_spectral.c to the table on the stack's top.
void lapack_open_spectral(lua_State *L);

#endif
