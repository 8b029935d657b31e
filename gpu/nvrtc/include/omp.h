// SPDX-License-Identifier: Apache-2.0
// Host code's: pasted programs include it, device code cannot use it.
#ifndef WARPSHOP_OMP_H_
#define WARPSHOP_OMP_H_

#include <stddef.h>

#endif
