// SPDX-License-Identifier: Apache-2.0
// NVIDIA's command-line tools, run on bytes.
#ifndef GPU_NVRTC_IMAGE_NVRTC_TOOL_H
#define GPU_NVRTC_IMAGE_NVRTC_TOOL_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

// Runs `program option FILE`, where the file holds `input`; adds what it prints
// to `out`. ERR_INTERNAL has the beginning of that when it fails.
enum err nvrtc_run_tool(const char *program, const char *option,
                        const void *input, size_t bytes, struct str *out,
                        struct err_info *e);

#endif
