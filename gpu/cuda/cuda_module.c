// SPDX-License-Identifier: Apache-2.0
// Modules, their functions and their variables, by the driver.
#include "gpu/cuda/cuda_module.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/cuda/cuda_destroy.h"

enum { NO_PTX_COMPILER = 221 }; // CUDA_ERROR_JIT_COMPILER_NOT_FOUND

enum err cuda_module_load(struct gpu_device *d, const void *image, size_t bytes,
                          gpu_handle *out, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  char *copy = try_malloc(bytes + 1); // PTX must end in a zero
  if (!copy)
    return err_set(e, ERR_NOMEM, "no memory for a module of %zu bytes", bytes);
  memcpy(copy, image, bytes);
  copy[bytes] = 0;
  void *module;
  int status = c->cu->module_load(&module, copy);
  free(copy);
  if (status == NO_PTX_COMPILER)
    return err_set(e, ERR_UNSUPPORTED,
                   "this driver cannot compile PTX (its library "
                   "libnvidia-ptxjitcompiler is not installed): load a cubin "
                   "or CUDA C");
  if (status)
    return cuda_device_fail(c, status, "loading the kernel", e);
  c->has_printf |= memmem(image, bytes, "vprintf", 7) != NULL;
  *out = cuda_add_object(c, OBJECT_MODULE, module);
  return ERR_OK;
}

enum err cuda_module_unload(struct gpu_device *d, gpu_handle module,
                            struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct object *o;
  enum err err = cuda_get_object(c, OBJECT_MODULE, module, &o, e);
  if (err)
    return err;
  for (uint32_t i = 1; i < c->object_count; i++)
    if (c->objects[i].kind == OBJECT_FUNCTION && c->objects[i].owner == module)
      cuda_drop_object(&c->objects[i]);
  return cuda_destroy(c, o, e);
}

static int function_value(struct cuda_device *c, void *f, int attribute) {
  int value = 0;
  c->cu->function_get(&value, attribute, f);
  return value;
}

static void describe_function(struct cuda_device *c, void *f,
                              struct gpu_function_info *info) {
  memset(info, 0, sizeof *info);
  info->registers = function_value(c, f, CUDA_FUNC_REGISTERS);
  info->local_bytes = (uint32_t)function_value(c, f, CUDA_FUNC_LOCAL_BYTES);
  info->shared_bytes = (uint32_t)function_value(c, f, CUDA_FUNC_SHARED_BYTES);
  info->const_bytes = (uint32_t)function_value(c, f, CUDA_FUNC_CONST_BYTES);
  info->max_threads_per_block =
      (uint32_t)function_value(c, f, CUDA_FUNC_MAX_THREADS);
  size_t offset, bytes;
  while (info->param_count < GPU_MAX_PARAMS &&
         !c->cu->function_param(f, info->param_count, &offset, &bytes)) {
    info->params[info->param_count].offset = (uint32_t)offset;
    info->params[info->param_count].bytes = (uint32_t)bytes;
    info->param_bytes = (uint32_t)(offset + bytes);
    info->param_count++;
  }
}

enum err cuda_function_get(struct gpu_device *d, gpu_handle module,
                           const char *mangled, gpu_handle *out,
                           struct gpu_function_info *info, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct object *m, *o;
  enum err err = cuda_get_object(c, OBJECT_MODULE, module, &m, e);
  if (err)
    return err;
  void *f;
  int status = c->cu->module_function(&f, m->driver, mangled);
  if (status == CUDA_NOT_FOUND)
    return err_set(e, ERR_NOT_FOUND, "the module has no kernel %s", mangled);
  if (status)
    return cuda_device_fail(c, status, "finding the kernel", e);
  struct gpu_function_info *own = xmalloc(sizeof *own);
  describe_function(c, f, own);
  if (info)
    *info = *own;
  *out = cuda_add_object(c, OBJECT_FUNCTION, f);
  cuda_get_object(c, OBJECT_FUNCTION, *out, &o, NULL);
  o->owner = module;
  o->function = own;
  return ERR_OK;
}

enum err cuda_variable_get(struct gpu_device *d, gpu_handle module,
                           const char *mangled, gpu_ptr *out, size_t *bytes,
                           struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct object *m;
  enum err err = cuda_get_object(c, OBJECT_MODULE, module, &m, e);
  if (err)
    return err;
  int status = c->cu->module_variable(out, bytes, m->driver, mangled);
  if (status == CUDA_NOT_FOUND)
    return err_set(e, ERR_NOT_FOUND, "the module has no variable %s", mangled);
  return cuda_device_fail(c, status, "finding a variable", e);
}

enum err cuda_function_set_max_shared(struct gpu_device *d, gpu_handle function,
                                      uint32_t bytes, struct err_info *e) {
  struct cuda_device *c = DEVICE(d);
  struct object *o;
  enum err err = cuda_get_object(c, OBJECT_FUNCTION, function, &o, e);
  if (err)
    return err;
  return cuda_device_fail(
      c,
      c->cu->function_set(o->driver, CUDA_FUNC_MAX_DYNAMIC_SHARED, (int)bytes),
      "asking for dynamic shared memory", e);
}
