// SPDX-License-Identifier: Apache-2.0
// Linear systems by LAPACK: solve, LU, Cholesky, QR, least squares; and what
// the other file, np_lapack_spectral.c, needs too.
#include "lua/bind/np/np_lapack.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lua/bind/np/array.h"

// LAPACK's own reports of a wrong argument; it gives a negative `info` too,
// which is what we look at. A library's user may define this.
void xerbla_(const char *name, const int *argument, size_t length);
void xerbla_(const char *name, const int *argument, size_t length) {
  (void)name;
  (void)argument;
  (void)length;
}

// The one function of the Fortran run time that these routines use (a || b
// with blanks behind), so that LAPACK's archive can be linked without it.
void _gfortran_concat_string(size_t n, char *to, size_t na, const char *a,
                             size_t nb, const char *b);
void _gfortran_concat_string(size_t n, char *to, size_t na, const char *a,
                             size_t nb, const char *b) {
  for (size_t i = 0; i < n; i++)
    to[i] = i < na ? a[i] : i < na + nb ? b[i - na] : ' ';
}

void dtrsm_(const char *side, const char *uplo, const char *trans,
            const char *diag, const int *m, const int *n, const double *alpha,
            const double *a, const int *lda, double *b, const int *ldb,
            size_t l1, size_t l2, size_t l3, size_t l4);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots,
             int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a,
             const int *lda, const int *pivots, double *b, const int *ldb,
             int *info, size_t length);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda,
             int *info, size_t length);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau,
             double *work, const int *lwork, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a,
             const int *lda, const double *tau, double *work, const int *lwork,
             int *info);
void dgelsd_(const int *m, const int *n, const int *nrhs, double *a,
             const int *lda, double *b, const int *ldb, double *s,
             const double *rcond, int *rank, double *work, const int *lwork,
             int *iwork, int *info);

// ---- Stacks of matrices ----

struct matrices lapack_push_copy(lua_State *L, int i, const char *function) {
  char s[ARRAY_SHAPE_TEXT];
  struct array *a = array_check_host(L, i, function);
  if (a->ndim < 2)
    bind_error(L, ERR_ARGUMENT,
               "linalg.%s: LinAlgError: an array of shape %s is no matrix "
               "(at least two axes)",
               function, array_shape_text(s, a->ndim, a->shape));
  if (a->shape[a->ndim - 1] > INT32_MAX / 4 ||
      a->shape[a->ndim - 2] > INT32_MAX / 4)
    bind_error(L, ERR_ARGUMENT, "linalg.%s: a matrix of shape %s is too large",
               function, array_shape_text(s, a->ndim, a->shape));
  struct matrices x = {.array = array_push_copy(L, a, DTYPE_F64), .count = 1};
  x.data = array_data(x.array);
  x.m = (int)a->shape[a->ndim - 2];
  x.n = (int)a->shape[a->ndim - 1];
  for (int d = 0; d < a->ndim - 2; d++)
    x.count *= a->shape[d];
  return x;
}

double *lapack_push_result(lua_State *L, const struct matrices *x, int ndim,
                           int64_t m, int64_t n) {
  int64_t shape[ARRAY_MAX_DIMS];
  int front = x->array->ndim - 2;
  memcpy(shape, x->array->shape, sizeof shape);
  if (ndim > 0)
    shape[front] = m;
  if (ndim > 1)
    shape[front + 1] = n;
  return array_data(array_push_host(L, DTYPE_F64, front + ndim, shape));
}

double *lapack_push_doubles(lua_State *L, int64_t n) {
  return lua_newuserdatauv(L, (size_t)(n > 0 ? n : 1) * sizeof(double), 0);
}

int *lapack_push_ints(lua_State *L, int64_t n) {
  return lua_newuserdatauv(L, (size_t)(n > 0 ? n : 1) * sizeof(int), 0);
}

void lapack_to_columns(double *to, const double *from, int m, int n) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      to[j * m + i] = from[i * n + j];
}

void lapack_to_rows(double *to, const double *from, int m, int n, int height) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      to[i * n + j] = from[j * height + i];
}

int lapack_fail(lua_State *L, const char *function, const struct matrices *x,
                int64_t i, const char *fmt, ...) {
  char why[200], which[100], s[ARRAY_SHAPE_TEXT];
  va_list args;
  va_start(args, fmt);
  vsnprintf(why, sizeof why, fmt, args);
  va_end(args);
  if (x->array->ndim == 2)
    snprintf(which, sizeof which, "the matrix");
  else
    snprintf(which, sizeof which, "matrix %lld of the stack", (long long)i);
  bind_error(L, ERR_ARGUMENT, "linalg.%s: LinAlgError: %s of shape %s %s",
             function, which,
             array_shape_text(s, x->array->ndim, x->array->shape), why);
}

struct matrices lapack_push_square(lua_State *L, const char *function) {
  struct matrices x = lapack_push_copy(L, 1, function);
  char s[ARRAY_SHAPE_TEXT];
  if (x.m != x.n)
    bind_error(L, ERR_ARGUMENT,
               "linalg.%s: LinAlgError: the matrices of an array of shape %s "
               "are not square",
               function, array_shape_text(s, x.array->ndim, x.array->shape));
  return x;
}

static int at_least_one(int n) {
  return n > 1 ? n : 1;
}

// ---- LU ----

// solve(a, b, function, silent): a (..., n, n) and b (..., n, k) with equal
// axes in front. Where silent, a singular matrix gives inf and nan.
static int l_solve(lua_State *L) {
  const char *function = luaL_checkstring(L, 3);
  bool silent = lua_toboolean(L, 4);
  struct matrices a = lapack_push_square(L, function);
  struct matrices b = lapack_push_copy(L, 2, function);
  int n = a.n, k = b.n, ld = at_least_one(n), info = 0;
  double *out = lapack_push_result(L, &b, 2, n, k);
  double *lu = lapack_push_doubles(L, (int64_t)n * n);
  double *x = lapack_push_doubles(L, (int64_t)n * k);
  int *pivots = lapack_push_ints(L, n);
  for (int64_t i = 0; i < a.count && n > 0; i++) {
    lapack_to_columns(lu, a.data + i * n * n, n, n);
    lapack_to_columns(x, b.data + i * n * k, n, k);
    dgetrf_(&n, &n, lu, &ld, pivots, &info);
    if (info && !silent)
      lapack_fail(L, function, &a, i, "is singular (pivot %d is 0)", info - 1);
    dgetrs_("N", &n, &k, lu, &ld, pivots, x, &ld, &info, 1);
    lapack_to_rows(out + i * n * k, x, n, k, n);
  }
  lua_pop(L, 3);
  return 1;
}

// triangular(a, b, lower, transposed, unit): a (..., n, n), b (..., n, k).
static int l_triangular(lua_State *L) {
  const char *uplo = lua_toboolean(L, 3) ? "L" : "U";
  const char *trans = lua_toboolean(L, 4) ? "T" : "N";
  const char *diag = lua_toboolean(L, 5) ? "U" : "N";
  struct matrices a = lapack_push_square(L, "triangular_solve");
  struct matrices b = lapack_push_copy(L, 2, "triangular_solve");
  int n = a.n, k = b.n, ld = at_least_one(n);
  double *out = lapack_push_result(L, &b, 2, n, k), one = 1;
  double *t = lapack_push_doubles(L, (int64_t)n * n);
  double *x = lapack_push_doubles(L, (int64_t)n * k);
  for (int64_t i = 0; i < a.count && n > 0; i++) {
    lapack_to_columns(t, a.data + i * n * n, n, n);
    lapack_to_columns(x, b.data + i * n * k, n, k);
    dtrsm_("L", uplo, trans, diag, &n, &k, &one, t, &ld, x, &ld, 1, 1, 1, 1);
    lapack_to_rows(out + i * n * k, x, n, k, n);
  }
  lua_pop(L, 2);
  return 1;
}

// slogdet(a): signs and logarithms of the absolute values.
static int l_slogdet(lua_State *L) {
  struct matrices a = lapack_push_square(L, "slogdet");
  int n = a.n, ld = at_least_one(n), info = 0;
  double *lu = lapack_push_doubles(L, (int64_t)n * n);
  int *pivots = lapack_push_ints(L, n);
  double *sign = lapack_push_result(L, &a, 0, 0, 0);
  double *log_abs = lapack_push_result(L, &a, 0, 0, 0);
  for (int64_t i = 0; i < a.count; i++) {
    lapack_to_columns(lu, a.data + i * n * n, n, n);
    if (n > 0)
      dgetrf_(&n, &n, lu, &ld, pivots, &info);
    sign[i] = info > 0 ? 0 : 1;
    log_abs[i] = info > 0 ? -INFINITY : 0;
    for (int64_t d = 0; d < n && info == 0; d++) {
      double u = lu[d * n + d];
      sign[i] *= (u < 0) != (pivots[d] != d + 1) ? -1 : 1;
      log_abs[i] += log(fabs(u));
    }
  }
  return 2;
}

// det(a): the product of the pivots.
static int l_det(lua_State *L) {
  struct matrices a = lapack_push_square(L, "det");
  int n = a.n, ld = at_least_one(n), info = 0;
  double *lu = lapack_push_doubles(L, (int64_t)n * n);
  int *pivots = lapack_push_ints(L, n);
  double *out = lapack_push_result(L, &a, 0, 0, 0);
  for (int64_t i = 0; i < a.count; i++) {
    lapack_to_columns(lu, a.data + i * n * n, n, n);
    if (n > 0)
      dgetrf_(&n, &n, lu, &ld, pivots, &info);
    out[i] = 1;
    for (int64_t d = 0; d < n; d++)
      out[i] *= pivots[d] != d + 1 ? -lu[d * n + d] : lu[d * n + d];
  }
  return 1;
}

// lu(a): the factors in one matrix, and the rows' order.
static int l_lu(lua_State *L) {
  struct matrices a = lapack_push_copy(L, 1, "lu");
  int m = a.m, n = a.n, k = m < n ? m : n, ld = at_least_one(m), info = 0;
  double *lu = lapack_push_doubles(L, (int64_t)m * n);
  int *pivots = lapack_push_ints(L, k);
  double *out = lapack_push_result(L, &a, 2, m, n);
  double *order = lapack_push_result(L, &a, 1, m, 0);
  for (int64_t i = 0; i < a.count; i++, order += m) {
    lapack_to_columns(lu, a.data + i * m * n, m, n);
    for (int r = 0; r < m; r++)
      order[r] = r;
    if (k > 0)
      dgetrf_(&m, &n, lu, &ld, pivots, &info);
    for (int d = 0; d < k; d++) {
      double other = order[pivots[d] - 1];
      order[pivots[d] - 1] = order[d];
      order[d] = other;
    }
    lapack_to_rows(out + i * m * n, lu, m, n, m);
  }
  return 2;
}

// ---- Cholesky ----

// cholesky(a, upper): L with a = L L', or U with a = U' U; only that triangle
// of a is read. A matrix that has none: its number is a second result, and the
// factor is NaN where `gives_nan` (argument 3).
static int l_cholesky(lua_State *L) {
  bool is_upper = lua_toboolean(L, 2), gives_nan = lua_toboolean(L, 3);
  struct matrices a = lapack_push_square(L, "cholesky");
  int n = a.n, ld = at_least_one(n), info = 0;
  double *x = lapack_push_doubles(L, (int64_t)n * n);
  double *out = lapack_push_result(L, &a, 2, n, n);
  for (int64_t i = 0; i < a.count && n > 0; i++) {
    lapack_to_columns(x, a.data + i * n * n, n, n);
    dpotrf_(is_upper ? "U" : "L", &n, x, &ld, &info, 1);
    if (info && !gives_nan)
      lapack_fail(L, "cholesky", &a, i,
                  "is not positive definite: its leading minor of order %d is "
                  "not positive",
                  info);
    for (int64_t c = 0; c < n; c++)
      for (int64_t r = 0; r < n; r++)
        if (info)
          x[c * n + r] = NAN;
        else if (is_upper ? r > c : r < c)
          x[c * n + r] = 0;
    lapack_to_rows(out + i * n * n, x, n, n, n);
  }
  return 1;
}

// ---- QR ----

struct qr {
  int m, n, k, columns; // of q
  int lwork;
  double *x, *tau, *work;
};

// Workspace for all matrices of the stack.
static struct qr push_qr(lua_State *L, const struct matrices *a, int columns) {
  struct qr w = {.m = a->m, .n = a->n, .columns = columns};
  w.k = w.m < w.n ? w.m : w.n;
  int widest = columns > w.n ? columns : w.n;
  w.lwork = 64 * at_least_one(widest); // LAPACK's block size is 32 here
  w.x = lapack_push_doubles(L, (int64_t)w.m * widest);
  w.tau = lapack_push_doubles(L, w.k);
  w.work = lapack_push_doubles(L, w.lwork);
  return w;
}

static void factor(struct qr *w, const double *from) {
  int ld = at_least_one(w->m), info;
  lapack_to_columns(w->x, from, w->m, w->n);
  if (w->k > 0)
    dgeqrf_(&w->m, &w->n, w->x, &ld, w->tau, w->work, &w->lwork, &info);
}

static void store_r(double *to, const struct qr *w, int rows) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < w->n; j++)
      to[i * w->n + j] = i <= j ? w->x[j * w->m + i] : 0;
}

static void store_q(double *to, struct qr *w) {
  int ld = at_least_one(w->m), info;
  if (w->k > 0)
    dorgqr_(&w->m, &w->columns, &w->k, w->x, &ld, w->tau, w->work, &w->lwork,
            &info);
  else // no column to start from: the identity
    for (int64_t i = 0; i < (int64_t)w->m * w->columns; i++)
      w->x[i] = i % (w->m + 1) == 0;
  lapack_to_rows(to, w->x, w->m, w->columns, w->m);
}

// qr(a, mode): q and r; r alone in mode "r"; LAPACK's own form in mode "raw".
static int l_qr(lua_State *L) {
  static const char *const modes[] = {"reduced", "complete", "r", "raw", NULL};
  int mode = luaL_checkoption(L, 2, "reduced", modes);
  struct matrices a = lapack_push_copy(L, 1, "qr");
  int k = a.m < a.n ? a.m : a.n, columns = mode == 1 ? a.m : k;
  struct qr w = push_qr(L, &a, columns);
  int rows = mode == 3 ? a.n : columns, width = mode == 3 ? a.m : a.n;
  double *q = lapack_push_result(L, &a, mode == 3 ? 1 : 2, mode == 3 ? k : a.m,
                                 columns);
  double *r = lapack_push_result(L, &a, 2, rows, width);
  for (int64_t i = 0; i < a.count; i++) {
    factor(&w, a.data + i * a.m * a.n);
    if (mode == 3) {
      memcpy(r + i * a.m * a.n, w.x, (size_t)a.m * (size_t)a.n * sizeof *r);
      memcpy(q + i * k, w.tau, (size_t)k * sizeof *q);
      continue;
    }
    store_r(r + i * rows * a.n, &w, rows);
    if (mode < 2)
      store_q(q + i * a.m * columns, &w);
  }
  if (mode == 2)
    return 1;
  if (mode == 3)
    lua_insert(L, -2); // h, tau
  return 2;
}

// ---- Least squares ----

// lstsq(a, b, rcond): x, rank, singular values. One matrix.
static int l_lstsq(lua_State *L) {
  double rcond = luaL_checknumber(L, 3), size;
  struct matrices a = lapack_push_copy(L, 1, "lstsq");
  struct matrices b = lapack_push_copy(L, 2, "lstsq");
  int m = a.m, n = a.n, k = b.n, least = m < n ? m : n, most = m > n ? m : n;
  int lda = at_least_one(m), ldb = at_least_one(most), rank = 0, info = 0;
  int query = -1, integers;
  double *x = lapack_push_doubles(L, (int64_t)m * n);
  double *y = lapack_push_doubles(L, (int64_t)ldb * k);
  lapack_to_columns(x, a.data, m, n);
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < most; i++)
      y[j * ldb + i] = i < m ? b.data[i * k + j] : 0;
  double *out = lapack_push_result(L, &b, 2, most, k);
  double *s = lapack_push_result(L, &a, 1, least, 0);
  memset(out, 0, (size_t)most * (size_t)k * sizeof *out);
  if (least > 0 && k > 0) {
    dgelsd_(&m, &n, &k, x, &lda, y, &ldb, s, &rcond, &rank, &size, &query,
            &integers, &info);
    int lwork = (int)size;
    double *work = lapack_push_doubles(L, lwork);
    int *iwork = lapack_push_ints(L, integers);
    dgelsd_(&m, &n, &k, x, &lda, y, &ldb, s, &rcond, &rank, work, &lwork, iwork,
            &info);
    lua_pop(L, 2);
    if (info)
      lapack_fail(L, "lstsq", &a, 0, "has no singular values that converge");
    lapack_to_rows(out, y, most, k, ldb);
  }
  lua_pushinteger(L, rank);
  lua_insert(L, -2); // out, rank, s
  return 3;
}

static void open_solve(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"solve", l_solve},     {"triangular", l_triangular},
      {"slogdet", l_slogdet}, {"det", l_det},
      {"lu", l_lu},           {"cholesky", l_cholesky},
      {"qr", l_qr},           {"lstsq", l_lstsq},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}

void np_open_lapack(lua_State *L) {
  lua_newtable(L);
  open_solve(L);
  lapack_open_spectral(L);
  lua_setfield(L, -2, "lapack");
}
