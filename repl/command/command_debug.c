// SPDX-License-Identifier: Apache-2.0
// :debug EXPRESSION: its launches under the debugger, or a kept case.
#include <stdlib.h>

#include "repl/command/command.h"
#include "repl/command/kept.h"
#include "repl/debugger/debugger.h"
#include "repl/tui/tui.h"

bool command_debug(struct shop *s, const char *args_text) {
  if (!*args_text) {
    shop_warn(s, "usage: :debug EXPRESSION, such as :debug add[{32, "
                 "128}](x, y, out, 4096); or a kept case, :debug add.case");
    return false;
  }
  if (!kept_is(args_text))
    return debugger_run(s, args_text);
  char *launch = kept_load(s, args_text);
  if (launch)
    shop_print(s, "%s", launch);
  bool is_done = launch && debugger_run(s, launch);
  free(launch);
  return is_done;
}
