// SPDX-License-Identifier: Apache-2.0
// A real GPU's own counters beside those of the virtual one, as a table.
#ifndef GPU_HARDWARE_TEXT_H
#define GPU_HARDWARE_TEXT_H

#include "base/str.h"
#include "gpu/counters_text.h"

// Rows of v->hardware, which is there; with Nsight Compute's names where `columns`
// have room for them.
void gpu_hardware_table(const struct gpu_count_view *v, int columns,
                        struct str *out);

#endif
