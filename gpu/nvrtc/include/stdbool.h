// SPDX-License-Identifier: Apache-2.0
// bool is built in.
#ifndef WARPSHOP_STDBOOL_H
#define WARPSHOP_STDBOOL_H

#define __bool_true_false_are_defined 1

#endif
