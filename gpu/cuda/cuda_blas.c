// SPDX-License-Identifier: Apache-2.0
// cuBLAS by dlopen. Its enumerators are those of cublas_api.h and
// library_types.h of CUDA 12 and 13.
#include "gpu/cuda/cuda_blas.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/nvrtc/toolkit/nvrtc_places.h"

enum { OP_NONE = 0, OP_TRANSPOSE = 1, ALGORITHM_DEFAULT = -1 };
enum { COMPUTE_F32 = 68, COMPUTE_F64 = 70, COMPUTE_TF32 = 77 };

// cudaDataType of each enum gpu_product_type.
static const int types[] = {
    [GPU_PRODUCT_F16] = 2,
    [GPU_PRODUCT_BF16] = 14,
    [GPU_PRODUCT_F32] = 0,
    [GPU_PRODUCT_F64] = 1,
};

enum { TYPE_COUNT = sizeof types / sizeof *types };

struct blas_api {
  int (*create)(void **handle);
  int (*destroy)(void *handle);
  int (*set_stream)(void *handle, void *stream);
  const char *(*status_text)(int status);
  int (*product)(void *handle, int transpose_a, int transpose_b, int m, int n,
                 int k, const void *alpha, const void *a, int a_type, int lda,
                 const void *b, int b_type, int ldb, const void *beta, void *c,
                 int c_type, int ldc, int compute, int algorithm);
  int (*products)(void *handle, int transpose_a, int transpose_b, int m, int n,
                  int k, const void *alpha, const void *a, int a_type, int lda,
                  long long stride_a, const void *b, int b_type, int ldb,
                  long long stride_b, const void *beta, void *c, int c_type,
                  int ldc, long long stride_c, int count, int compute,
                  int algorithm);
};

struct cuda_blas {
  char *folder; // NULL: there is none
  char *library;
  bool is_started;
  struct err_info failure; // of the start; its code is ERR_OK without
  struct blas_api api;
  void *handle;
  void *stream; // that the handle works on; the default one at first
};

// ---- Finding ----

// The newest libcublas.so.NN of a folder, or NULL.
static char *library_in(const char *folder) {
  char *pattern = xasprintf("%s/libcublas.so.1[0-9]", folder), *found = NULL;
  glob_t g;
  if (!glob(pattern, 0, NULL, &g)) {
    found = xstrdup(g.gl_pathv[g.gl_pathc - 1]);
    globfree(&g);
  }
  free(pattern);
  return found;
}

// Toolkits and wheels of CUDA 13 have it beside NVRTC, those of CUDA 12 in a
// folder of its own.
static bool find_beside(struct cuda_blas *b, const char *nvrtc) {
  static const char *const folders[] = {".", "../../cublas/lib"};
  int bytes = (int)(strrchr(nvrtc, '/') - nvrtc);
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char *folder = xasprintf("%.*s/%s", bytes, nvrtc, folders[i]);
    b->library = library_in(folder);
    if (b->library) {
      b->folder = folder;
      return true;
    }
    free(folder);
  }
  return false;
}

static void find_library(struct cuda_blas *b) {
  struct nvrtc_places places;
  nvrtc_places_find(&places);
  bool is_found = false;
  int next = 0;
  do {
    for (; next < places.count && !is_found; next++)
      is_found = find_beside(b, places.places[next].library);
  } while (!is_found && nvrtc_places_find_more(&places));
  nvrtc_places_free(&places);
}

struct cuda_blas *cuda_blas_find(void) {
  static const char *const needed[] = {"libgcc_s.so.1", "librt.so.1",
                                       "libpthread.so.0", "libdl.so.2",
                                       "libm.so.6"};
  struct cuda_blas *b = xcalloc(1, sizeof *b);
  find_library(b);
  for (size_t i = 0; b->library && i < sizeof needed / sizeof *needed; i++)
    dlopen(needed[i], RTLD_NOW | RTLD_GLOBAL); // may be one with libc
  return b;
}

const char *cuda_blas_folder(const struct cuda_blas *b) {
  return b ? b->folder : NULL;
}

// ---- Loading ----

static enum err fail(const struct cuda_blas *b, int status, const char *doing,
                     struct err_info *e) {
  return err_set(e, ERR_UNSUPPORTED, "%s: %s (cuBLAS status %d)", doing,
                 b->api.status_text ? b->api.status_text(status) : "it failed",
                 status);
}

static enum err load(struct cuda_blas *b, struct err_info *e) {
  if (!b->library)
    return err_set(e, ERR_UNSUPPORTED, "cuBLAS is not here");
  // Its larger part first, by its path: others of that name may lie around.
  char *lt = xstrdup(b->library);
  char *name = strrchr(lt, '/') + 1;
  char *path = xasprintf("%.*slibcublasLt%s", (int)(name - lt), lt,
                         name + strlen("libcublas"));
  void *part = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
  free(path);
  free(lt);
  void *library = part ? dlopen(b->library, RTLD_LAZY | RTLD_LOCAL) : NULL;
  if (!library)
    return err_set(e, ERR_UNSUPPORTED, "cuBLAS does not load: %s", dlerror());
  b->api = (struct blas_api){
      .create = dlsym(library, "cublasCreate_v2"),
      .destroy = dlsym(library, "cublasDestroy_v2"),
      .set_stream = dlsym(library, "cublasSetStream_v2"),
      .status_text = dlsym(library, "cublasGetStatusString"),
      .product = dlsym(library, "cublasGemmEx"),
      .products = dlsym(library, "cublasGemmStridedBatchedEx"),
  };
  if (!b->api.create || !b->api.destroy || !b->api.set_stream ||
      !b->api.product || !b->api.products)
    return err_set(e, ERR_UNSUPPORTED, "cuBLAS lacks a function");
  int status = b->api.create(&b->handle);
  return status ? fail(b, status, "starting cuBLAS", e) : ERR_OK;
}

enum err cuda_blas_start(struct cuda_blas *b, struct err_info *e) {
  if (!b)
    return err_set(e, ERR_UNSUPPORTED, "cuBLAS is not here");
  if (!b->is_started) {
    b->is_started = true;
    load(b, &b->failure);
  }
  if (b->failure.code && e)
    *e = b->failure;
  return b->failure.code;
}

void cuda_blas_close(struct cuda_blas *b) {
  if (!b)
    return;
  if (b->handle)
    b->api.destroy(b->handle);
  free(b->folder);
  free(b->library);
  free(b);
}

// ---- Products ----

// cuBLAS counts by columns: there our matrices are their own transposes, and
// C' = B' A' is what it is asked for.
enum err cuda_blas_product(struct cuda_blas *b, const struct gpu_product *p,
                           void *stream, struct err_info *e) {
  static const float one_f32 = 1, zero_f32 = 0;
  static const double one_f64 = 1, zero_f64 = 0;
  enum err err = cuda_blas_start(b, e);
  if (err)
    return err;
  if (p->type >= TYPE_COUNT || p->result_type >= TYPE_COUNT)
    return err_set(e, ERR_ARGUMENT, "a matrix product of unknown types");
  bool is_f64 = p->type == GPU_PRODUCT_F64;
  const void *one = is_f64 ? (const void *)&one_f64 : &one_f32;
  const void *zero = is_f64 ? (const void *)&zero_f64 : &zero_f32;
  int compute = is_f64 ? COMPUTE_F64 : p->is_tf32 ? COMPUTE_TF32 : COMPUTE_F32;
  int type = types[p->type], result = types[p->result_type];
  int flip_a = p->a.is_transposed ? OP_TRANSPOSE : OP_NONE;
  int flip_b = p->b.is_transposed ? OP_TRANSPOSE : OP_NONE;
  int status = stream == b->stream ? 0 : b->api.set_stream(b->handle, stream);
  if (!status)
    b->stream = stream;
  if (!status && p->count == 1)
    status =
        b->api.product(b->handle, flip_b, flip_a, (int)p->columns, (int)p->rows,
                       (int)p->inner, one, (const void *)p->b.address, type,
                       (int)p->b.pitch, (const void *)p->a.address, type,
                       (int)p->a.pitch, zero, (void *)p->c.address, result,
                       (int)p->c.pitch, compute, ALGORITHM_DEFAULT);
  else if (!status)
    status = b->api.products(
        b->handle, flip_b, flip_a, (int)p->columns, (int)p->rows, (int)p->inner,
        one, (const void *)p->b.address, type, (int)p->b.pitch, p->b.step,
        (const void *)p->a.address, type, (int)p->a.pitch, p->a.step, zero,
        (void *)p->c.address, result, (int)p->c.pitch, p->c.step, (int)p->count,
        compute, ALGORITHM_DEFAULT);
  return status ? fail(b, status, "a matrix product", e) : ERR_OK;
}
