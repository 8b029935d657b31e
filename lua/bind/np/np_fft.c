// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms along the last axis, by FFTW, which takes real
// and imaginary parts as two arrays, as np does. Nothing is divided by n here.
#include <fftw3.h>
#include <limits.h>

#include "lua/bind/np/np.h"

// A copy in f64 of the array at index `i`, with at least one axis.
static struct array *push_lines(lua_State *L, int i) {
  struct array *a = array_check_host(L, i, "fft");
  luaL_argcheck(L, a->ndim > 0, i, "no axis");
  return array_push_copy(L, a, DTYPE_F64);
}

// The axes in front of the last as FFTW's "how many".
static fftw_iodim64 lines_of(const struct array *in, const struct array *out) {
  int64_t n = in->shape[in->ndim - 1], m = out->shape[out->ndim - 1];
  return (fftw_iodim64){n ? array_count(in) / n : 0, n, m};
}

static void execute(lua_State *L, fftw_plan plan) {
  if (!plan)
    bind_error(L, ERR_NOMEM, "fft: there is no memory for the transform");
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

static struct array *push_like(lua_State *L, const struct array *a, int64_t n) {
  int64_t shape[ARRAY_MAX_DIMS];
  for (int d = 0; d < a->ndim; d++)
    shape[d] = a->shape[d];
  shape[a->ndim - 1] = n;
  return array_push_host(L, DTYPE_F64, a->ndim, shape);
}

// forward(re, im): both of the result. The inverse is forward(im, re) with its
// results exchanged.
static int l_forward(lua_State *L) {
  struct array *re = push_lines(L, 1), *im = push_lines(L, 2);
  int64_t n = re->shape[re->ndim - 1];
  struct array *out_re = push_like(L, re, n), *out_im = push_like(L, re, n);
  fftw_iodim64 line = {n, 1, 1}, lines = lines_of(re, out_re);
  if (array_count(re) > 0)
    execute(L, fftw_plan_guru64_split_dft(1, &line, 1, &lines, array_data(re),
                                          array_data(im), array_data(out_re),
                                          array_data(out_im), FFTW_ESTIMATE));
  return 2;
}

// real(x): the first n / 2 + 1 of both parts.
static int l_real(lua_State *L) {
  struct array *x = push_lines(L, 1);
  int64_t n = x->shape[x->ndim - 1];
  struct array *re = push_like(L, x, n / 2 + 1);
  struct array *im = push_like(L, x, n / 2 + 1);
  fftw_iodim64 line = {n, 1, 1}, lines = lines_of(x, re);
  if (array_count(x) > 0)
    execute(L, fftw_plan_guru64_split_dft_r2c(1, &line, 1, &lines,
                                              array_data(x), array_data(re),
                                              array_data(im), FFTW_ESTIMATE));
  return 2;
}

// inverse_real(re, im, n): n real numbers from the first n / 2 + 1 of both.
static int l_inverse_real(lua_State *L) {
  struct array *re = push_lines(L, 1), *im = push_lines(L, 2);
  int64_t n = luaL_checkinteger(L, 3), m = re->shape[re->ndim - 1];
  luaL_argcheck(L, n > 0 && m == n / 2 + 1, 3, "wrong size");
  struct array *x = push_like(L, re, n);
  fftw_iodim64 line = {n, 1, 1}, lines = lines_of(re, x);
  if (array_count(re) > 0)
    execute(L, fftw_plan_guru64_split_dft_c2r(1, &line, 1, &lines,
                                              array_data(re), array_data(im),
                                              array_data(x), FFTW_ESTIMATE));
  return 1;
}

void np_open_fft(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"forward", l_forward},
      {"real", l_real},
      {"inverse_real", l_inverse_real},
      {NULL, NULL},
  };
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "fft");
}
