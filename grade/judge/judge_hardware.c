// SPDX-License-Identifier: Apache-2.0
// Have the devices what the exercise asks for?
#include "grade/judge/judge_hardware.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

// Why it cannot be judged on one of the devices that judge; NULL: it can, or the
// device does not even open, which the judging will say.
static char *lacks(const struct exercise_hardware *want, struct runner *on) {
  struct gpu_device_info d;
  struct err_info e;
  if (!on || runner_info(on, &d, &e))
    return NULL;
  int capability = (int)(10 * d.attributes[GPU_ATTR_COMPUTE_CAPABILITY_MAJOR] +
                         d.attributes[GPU_ATTR_COMPUTE_CAPABILITY_MINOR]);
  if (capability < want->capability)
    return xasprintf("%s has %d.%d", d.id, capability / 10, capability % 10);
  if (d.total_bytes < want->memory_bytes)
    return xasprintf("%s has %.3g GiB here", d.id,
                     (double)d.total_bytes / (double)(1 << 30));
  return NULL;
}

static bool has_real_gpu(const struct judge *j) {
  return j->gpu && str_starts(j->options.gpu, "cuda:");
}

bool judge_lacks_hardware(struct trial *t) {
  const struct exercise_hardware *want = &t->ex->hardware;
  char *asked = exercise_hardware_text(t->ex), *why = NULL;
  if (asked && want->gpu && !has_real_gpu(t->j))
    why = xstrdup("it is judged without one (--device cuda:0 names one)");
  if (asked && !why)
    why = lacks(want, t->j->checked);
  if (asked && !why)
    why = lacks(want, t->j->gpu);
  if (why) {
    t->v->verdict = VERDICT_SKIPPED;
    verdict_add(t->v, err_kind(ERR_UNSUPPORTED), "hardware",
                "%s needs %s, and %s", t->ex->name, asked, why)
        ->severity = GPU_NOTE;
  }
  bool lacks_some = why != NULL;
  free(asked);
  free(why);
  return lacks_some;
}
