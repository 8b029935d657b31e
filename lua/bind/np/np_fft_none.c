// SPDX-License-Identifier: Apache-2.0
// In the place of np_fft.c where the program is Python: np.fft is FFTW's, whose GPL
// does not go with NVIDIA's libraries, which may share that process.
#include <lauxlib.h>

#include "lua/bind/np/array.h"
#include "lua/bind/state/bind.h"

static int l_missing(lua_State *L) {
  bind_error(
      L, ERR_UNSUPPORTED,
      "np.fft is not there in Python: it is FFTW's, under the GPL, which "
      "this module does without; numpy.fft takes x as it is, and at "
      "warpshop's own prompt np.fft is there");
}

void np_open_fft(lua_State *L) {
  static const char *const names[] = {"forward", "real", "inverse_real"};
  lua_createtable(L, 0, 3);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    lua_pushcfunction(L, l_missing);
    lua_setfield(L, -2, names[i]);
  }
  lua_setfield(L, -2, "fft");
}
