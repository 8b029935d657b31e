// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms along the last axis, by FFTW. It computes with
// pairs of numbers, which is faster there than two arrays are, though np's have
// to be joined and split. Nothing is divided by n here.
#include "lua/bind/np/np.h"

#include <fftw3.h>
#include <string.h>

#include "lua/bind/np/array.h"

// What FFTW computes on: as f64, contiguous, and where its vectors want it.
static struct array *push_lines(lua_State *L, int i) {
  enum { ALIGN = 64 };
  struct array *a = array_check_host(L, i, "fft");
  luaL_argcheck(L, a->ndim > 0, i, "no axis");
  bool is_ready = a->dtype == DTYPE_F64 && array_is_contiguous(a) &&
                  (uintptr_t)array_data(a) % ALIGN == 0;
  return is_ready ? a : array_push_copy(L, a, DTYPE_F64);
}

static struct array *push_like(lua_State *L, const struct array *a, int64_t n) {
  int64_t shape[ARRAY_MAX_DIMS];
  for (int d = 0; d < a->ndim; d++)
    shape[d] = a->shape[d];
  shape[a->ndim - 1] = n;
  return array_push_host(L, DTYPE_F64, a->ndim, shape);
}

// Room for so many pairs.
static double *push_pairs(lua_State *L, int64_t n) {
  int64_t shape[] = {n, 2};
  return array_data(array_push_host(L, DTYPE_F64, 2, shape));
}

// ---- Plans ----

// Making one takes longer than a short transform, so the last are kept. They
// serve all arrays, because these are equally aligned.
enum plan_kind { COMPLEX, REAL, INVERSE_REAL };
enum { MOST_PLANS = 32 };
struct plans {
  struct plan {
    fftw_plan plan;
    enum plan_kind kind;
    int64_t n, lines;
  } made[MOST_PLANS];
  unsigned next;
};

static int free_plans(lua_State *L) {
  struct plans *p = lua_touserdata(L, 1);
  for (int i = 0; i < MOST_PLANS; i++)
    if (p->made[i].plan)
      fftw_destroy_plan(p->made[i].plan);
  return 0;
}

// Pushes the plans of the state, which all functions here have as an upvalue.
static void push_plans(lua_State *L) {
  static const char key = 0;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TUSERDATA)
    return;
  lua_pop(L, 1);
  memset(lua_newuserdatauv(L, sizeof(struct plans), 0), 0,
         sizeof(struct plans));
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, free_plans);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}

static fftw_plan make_plan(enum plan_kind kind, int64_t n, int64_t lines,
                           double *in, double *out) {
  fftw_iodim64 line = {n, 1, 1}, whole = {lines, n, n};
  int64_t half = n / 2 + 1;
  if (kind == COMPLEX)
    return fftw_plan_guru64_dft(1, &line, 1, &whole, (fftw_complex *)in,
                                (fftw_complex *)out, FFTW_FORWARD,
                                FFTW_ESTIMATE);
  if (kind == REAL) {
    whole.os = half;
    return fftw_plan_guru64_dft_r2c(1, &line, 1, &whole, in,
                                    (fftw_complex *)out, FFTW_ESTIMATE);
  }
  whole.is = half;
  return fftw_plan_guru64_dft_c2r(1, &line, 1, &whole, (fftw_complex *)in, out,
                                  FFTW_ESTIMATE);
}

static fftw_plan find_plan(lua_State *L, enum plan_kind kind, int64_t n,
                           int64_t lines, double *in, double *out) {
  struct plans *plans = lua_touserdata(L, lua_upvalueindex(1));
  for (int i = 0; i < MOST_PLANS; i++) {
    const struct plan *p = &plans->made[i];
    if (p->plan && p->kind == kind && p->n == n && p->lines == lines)
      return p->plan;
  }
  fftw_plan made = make_plan(kind, n, lines, in, out);
  if (!made)
    bind_error(L, ERR_NOMEM, "fft: there is no memory for the transform");
  struct plan *p = &plans->made[plans->next++ % MOST_PLANS];
  if (p->plan)
    fftw_destroy_plan(p->plan);
  *p = (struct plan){made, kind, n, lines};
  return made;
}

// ---- Transforms ----

// forward(re, im): both of the result; no `im` is one of zeros. The inverse is
// forward(im, re) with its results exchanged.
static int l_forward(lua_State *L) {
  lua_settop(L, 2);
  bool is_real = lua_isnil(L, 2);
  struct array *re = push_lines(L, 1), *im = is_real ? NULL : push_lines(L, 2);
  int64_t n = re->shape[re->ndim - 1], count = array_count(re);
  int64_t lines = n ? count / n : 0, half = n / 2 + 1;
  double *in = array_data(re);
  double *z = push_pairs(L, is_real ? lines * half : count);
  struct array *out_re = push_like(L, re, n), *out_im = push_like(L, re, n);
  double *a = array_data(out_re), *b = array_data(out_im);
  if (count == 0)
    return 2;
  if (is_real) {
    fftw_execute_dft_r2c(find_plan(L, REAL, n, lines, in, z), in,
                         (fftw_complex *)z);
    for (int64_t i = 0; i < lines; i++)
      kernel_pairs_mirror(a + i * n, b + i * n, z + 2 * i * half, n);
    return 2;
  }
  kernel_pairs_join(z, in, array_data(im), count);
  fftw_execute_dft(find_plan(L, COMPLEX, n, lines, z, z), (fftw_complex *)z,
                   (fftw_complex *)z);
  kernel_pairs_split(a, b, z, count);
  return 2;
}

// real(x): the first n / 2 + 1 of both parts.
static int l_real(lua_State *L) {
  struct array *x = push_lines(L, 1);
  int64_t n = x->shape[x->ndim - 1], half = n / 2 + 1, count = array_count(x);
  int64_t lines = n ? count / n : 0;
  double *in = array_data(x), *z = push_pairs(L, lines * half);
  struct array *re = push_like(L, x, half), *im = push_like(L, x, half);
  if (count > 0) {
    fftw_execute_dft_r2c(find_plan(L, REAL, n, lines, in, z), in,
                         (fftw_complex *)z);
    kernel_pairs_split(array_data(re), array_data(im), z, lines * half);
  }
  return 2;
}

// inverse_real(re, im, n): n real numbers from the first n / 2 + 1 of both.
static int l_inverse_real(lua_State *L) {
  struct array *re = push_lines(L, 1), *im = push_lines(L, 2);
  int64_t n = luaL_checkinteger(L, 3), m = re->shape[re->ndim - 1];
  luaL_argcheck(L, n > 0 && m == n / 2 + 1, 3, "wrong size");
  int64_t count = array_count(re);
  double *z = push_pairs(L, count);
  struct array *x = push_like(L, re, n);
  double *out = array_data(x);
  if (count > 0) {
    kernel_pairs_join(z, array_data(re), array_data(im), count);
    fftw_execute_dft_c2r(find_plan(L, INVERSE_REAL, n, count / m, z, out),
                         (fftw_complex *)z, out);
  }
  return 1;
}

void np_open_fft(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"forward", l_forward},
      {"real", l_real},
      {"inverse_real", l_inverse_real},
      {NULL, NULL},
  };
  luaL_newlibtable(L, functions);
  push_plans(L);
  luaL_setfuncs(L, functions, 1);
  lua_setfield(L, -2, "fft");
}
