// SPDX-License-Identifier: Apache-2.0
// A learner's compiler options, checked against a list: the others read or
// write files, or change what the rest of warpshop relies on.
#ifndef GPU_NVRTC_WORKER_NVRTC_OPTIONS_H
#define GPU_NVRTC_WORKER_NVRTC_OPTIONS_H

#include "base/err.h"

enum { NVRTC_MAX_OPTIONS = 256, NVRTC_MAX_OPTION_BYTES = 4096 };

// ERR_ARGUMENT names the option that is not allowed and lists those that are.
enum err nvrtc_check_options(const char *const *options, int count,
                             struct err_info *e);

#endif
