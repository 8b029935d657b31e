// SPDX-License-Identifier: Apache-2.0
// Images in pixels, for terminals that have them.
#ifndef REPL_PLOT_GRAPHICS_H
#define REPL_PLOT_GRAPHICS_H

#include "repl/plot/plot.h"

// Adds an image of RGB bytes by kitty's protocol, shown in so many columns.
void graphics_kitty(const unsigned char *rgb, int width, int height,
                    int columns, struct str *out);
// The same as sixels, by libsixel; false where that is not here, or failed.
bool graphics_sixel(unsigned char *rgb, int width, int height, struct str *out);

#endif
