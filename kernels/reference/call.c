// SPDX-License-Identifier: Apache-2.0
// What the loops of references ask of arguments.
#include "kernels/reference/call.h"

#include <inttypes.h>

void *reference_array(const struct reference_call *call, int i, int64_t least) {
  const struct reference_arg *a = &call->args[i];
  if (least <= (int64_t)a->count)
    return a->data;
  err_set(call->e, ERR_ARGUMENT,
          "%s has %zu elements, and the reference needs %" PRId64, a->name,
          a->count, least);
  return NULL;
}

bool reference_has(const struct reference_call *call, int i, int64_t at) {
  const struct reference_arg *a = &call->args[i];
  if (at >= 0 && at < (int64_t)a->count)
    return true;
  err_set(call->e, ERR_ARGUMENT,
          "the reference needs %s[%" PRId64 "], and %s has %zu elements",
          a->name, at, a->name, a->count);
  return false;
}

void reference_fail(const struct reference_call *call, const char *why) {
  err_set(call->e, ERR_ARGUMENT, "%s", why);
}
