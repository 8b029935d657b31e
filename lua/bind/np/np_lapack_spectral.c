// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues by LAPACK.
#include <string.h>

#include "lua/bind/np/np_lapack.h"

void dgesdd_(const char *jobz, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt,
             const int *ldvt, double *work, const int *lwork, int *iwork,
             int *info, size_t length);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a,
             const int *lda, double *w, double *work, const int *lwork,
             int *iwork, const int *liwork, int *info, size_t l1, size_t l2);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a,
            const int *lda, double *wr, double *wi, double *vl, const int *ldvl,
            double *vr, const int *ldvr, double *work, const int *lwork,
            int *info, size_t l1, size_t l2);

static int at_least_one(int n) {
  return n > 1 ? n : 1;
}

// ---- Singular values ----

struct svd {
  const char *job; // "A" whole u and vt, "S" the first k, "N" neither
  int m, n, k;
  int height, width; // columns of u, rows of vt
  int lwork;
  double *x, *u, *vt, *work;
  int *iwork;
};

static void run_svd(struct svd *w, double *s, int *info) {
  int lda = at_least_one(w->m), ldvt = at_least_one(w->width);
  dgesdd_(w->job, &w->m, &w->n, w->x, &lda, s, w->u, &lda, w->vt, &ldvt,
          w->work, &w->lwork, w->iwork, info, 1);
}

static struct svd push_svd(lua_State *L, const struct matrices *a, bool full,
                           bool vectors) {
  struct svd w = {.job = !vectors ? "N" : full ? "A" : "S"};
  w.m = a->m;
  w.n = a->n;
  w.k = w.m < w.n ? w.m : w.n;
  w.height = full ? w.m : w.k;
  w.width = full ? w.n : w.k;
  w.x = lapack_push_doubles(L, (int64_t)w.m * w.n);
  w.u = lapack_push_doubles(L, vectors ? (int64_t)w.m * w.height : 0);
  w.vt = lapack_push_doubles(L, vectors ? (int64_t)w.width * w.n : 0);
  w.iwork = lapack_push_ints(L, 8 * (int64_t)w.k);
  double size = 1, s = 0;
  int info;
  w.lwork = -1;
  w.work = &size;
  if (w.k > 0)
    run_svd(&w, &s, &info);
  w.lwork = (int)size;
  w.work = lapack_push_doubles(L, w.lwork);
  return w;
}

static void identity(double *to, int n) {
  for (int64_t i = 0; i < (int64_t)n * n; i++)
    to[i] = i % (n + 1) == 0;
}

// svd(a, full, vectors): u, s, vt, or s alone.
static int l_svd(lua_State *L) {
  bool full = lua_toboolean(L, 2), vectors = lua_toboolean(L, 3);
  struct matrices a = lapack_push_copy(L, 1, "svd");
  struct svd w = push_svd(L, &a, full, vectors);
  double *u = vectors ? lapack_push_result(L, &a, 2, w.m, w.height) : NULL;
  double *s = lapack_push_result(L, &a, 1, w.k, 0);
  double *vt = vectors ? lapack_push_result(L, &a, 2, w.width, w.n) : NULL;
  for (int64_t i = 0; i < a.count; i++) {
    int info = 0;
    lapack_to_columns(w.x, a.data + i * w.m * w.n, w.m, w.n);
    if (w.k > 0)
      run_svd(&w, s + i * w.k, &info);
    if (info)
      lapack_fail(L, "svd", &a, i, "has no singular values that converge%s",
                  info < 0 ? " (it holds a NaN)" : "");
    if (w.k == 0 && vectors) {
      identity(w.u, w.height);
      identity(w.vt, w.width);
    }
    if (vectors) {
      lapack_to_rows(u + i * w.m * w.height, w.u, w.m, w.height, w.m);
      lapack_to_rows(vt + i * w.width * w.n, w.vt, w.width, w.n, w.width);
    }
  }
  return vectors ? 3 : 1;
}

// ---- Eigenvalues ----

// eigh(a, uplo, vectors): ascending eigenvalues, and eigenvectors as columns.
static int l_eigh(lua_State *L) {
  const char *uplo = luaL_checkstring(L, 2);
  bool vectors = lua_toboolean(L, 3);
  const char *job = vectors ? "V" : "N";
  const char *function = vectors ? "eigh" : "eigvalsh";
  struct matrices a = lapack_push_square(L, function);
  int n = a.n, ld = at_least_one(n), info = 0, query = -1, integers = 1;
  double size = 1;
  if (n > 0)
    dsyevd_(job, uplo, &n, a.data, &ld, &size, &size, &query, &integers, &query,
            &info, 1, 1);
  int lwork = (int)size;
  double *x = lapack_push_doubles(L, (int64_t)n * n);
  double *work = lapack_push_doubles(L, lwork);
  int *iwork = lapack_push_ints(L, integers);
  double *w = lapack_push_result(L, &a, 1, n, 0);
  double *v = vectors ? lapack_push_result(L, &a, 2, n, n) : NULL;
  for (int64_t i = 0; i < a.count && n > 0; i++) {
    lapack_to_columns(x, a.data + i * n * n, n, n);
    dsyevd_(job, uplo, &n, x, &ld, w + i * n, work, &lwork, iwork, &integers,
            &info, 1, 1);
    if (info)
      lapack_fail(L, function, &a, i, "has no eigenvalues that converge");
    if (vectors)
      lapack_to_rows(v + i * n * n, x, n, n, n);
  }
  return vectors ? 2 : 1;
}

// Eigenvectors by rows, real and imaginary parts: of a complex pair LAPACK
// gives the parts of the first in two columns, and the second is its conjugate.
static void store_vectors(double *re, double *im, const double *v,
                          const double *wi, int64_t n) {
  for (int64_t j = 0; j < n; j++) {
    bool is_first = wi[j] > 0 && j + 1 < n, is_second = wi[j] < 0 && j > 0;
    for (int64_t i = 0; i < n; i++) {
      re[i * n + j] = v[(is_second ? j - 1 : j) * n + i];
      im[i * n + j] = is_first    ? v[(j + 1) * n + i]
                      : is_second ? -v[j * n + i]
                                  : 0;
    }
  }
}

// eig(a, vectors): real and imaginary parts of the eigenvalues, and of the
// eigenvectors.
static int l_eig(lua_State *L) {
  bool vectors = lua_toboolean(L, 2);
  const char *job = vectors ? "V" : "N";
  const char *function = vectors ? "eig" : "eigvals";
  struct matrices a = lapack_push_square(L, function);
  int n = a.n, ld = at_least_one(n), one = 1, info = 0, query = -1;
  int ldv = vectors ? ld : 1;
  double size = 1, none = 0;
  if (n > 0)
    dgeev_("N", job, &n, a.data, &ld, &none, &none, &none, &one, &none, &ldv,
           &size, &query, &info, 1, 1);
  int lwork = (int)size;
  double *x = lapack_push_doubles(L, (int64_t)n * n);
  double *v = lapack_push_doubles(L, vectors ? (int64_t)n * n : 1);
  double *work = lapack_push_doubles(L, lwork);
  double *wr = lapack_push_result(L, &a, 1, n, 0);
  double *wi = lapack_push_result(L, &a, 1, n, 0);
  double *re = vectors ? lapack_push_result(L, &a, 2, n, n) : NULL;
  double *im = vectors ? lapack_push_result(L, &a, 2, n, n) : NULL;
  for (int64_t i = 0; i < a.count && n > 0; i++) {
    lapack_to_columns(x, a.data + i * n * n, n, n);
    dgeev_("N", job, &n, x, &ld, wr + i * n, wi + i * n, &none, &one, v, &ldv,
           work, &lwork, &info, 1, 1);
    if (info)
      lapack_fail(L, function, &a, i, "has no eigenvalues that converge%s",
                  info < 0 ? " (it holds a NaN)" : "");
    if (vectors)
      store_vectors(re + i * n * n, im + i * n * n, v, wi + i * n, n);
  }
  return vectors ? 4 : 2;
}

void lapack_open_spectral(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"svd", l_svd},
      {"eigh", l_eigh},
      {"eig", l_eig},
      {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
}
