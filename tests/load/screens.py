# SPDX-License-Identifier: Apache-2.0
# The screens that killed.py ends: how one comes there, and what is typed at the moment
# of the end. A step is what is awaited (a pattern of the output) and what is typed then.
import os

COURSE = "tests/fixtures/workbook/course"

SOURCES = {
    "spin.cu": "__global__ void spin(int *a) {\n  for (long i = 0; i < 4000000000L; i++)\n    a[threadIdx.x] += i;\n}\n",
    "sums.cu": "__global__ void sums(const float *x, float *out) {\n  __shared__ float part[64];\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float v = x[i];\n  part[threadIdx.x] = v;\n"
               "  out[i] = part[threadIdx.x] + part[(threadIdx.x + 4) % 64];\n}\n",
    "turn.cu": "__global__ void turn(const float *x, float *out) {\n"
               "  out[threadIdx.x * 32 + threadIdx.y] = x[threadIdx.y * 32 + threadIdx.x];\n}\n",
}
PROMPT = rb"[0-9]> "
HERE = [(PROMPT, b"kept_%(n)d = 'ke' .. 'pt'; kept_%(n)d\r"), (rb'"kept"', b""), (PROMPT, b"")]
KERNEL = b"__global__ void half(int *a) {\ra[0] = %(n)d;\r}\r"
HALF, INCLUDE = "__global__ void half(int *a) {\na[0] = %d;\n}", "#include <cooperative_groups.h>"
RUNS = b"print('ran_%(n)d') while true do end\r"
BEGUN = "__global__ void half(int *a) {\ra[0] = 1;\r"
ANSWER = "__global__ void %s {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = %s; // %d\n}\n"
STARTER = "// SPDX-License-Identifier: Apache-2.0\n__global__ void %s {\n}\n"  # the file, where there is none yet
TWICE, ADD = "twice(const int *x, int *out, int n)", "add(const float *x, const float *y, float *out, int n)"


class Screen:
    def __init__(self, name, arguments, steps, last, span=0.1, saved=None, caught=()):
        """last: one of these is typed; the end comes up to span seconds behind it. saved:
        the exercise's file, its signature, the right and a wrong value, and what is
        shown when it has passed. caught:
        statuses with which SIGTERM or SIGINT may end it, too."""
        self.name, self.arguments, self.steps, self.last = name, arguments, steps, last
        self.span, self.saved, self.caught = span, saved, caught

    def save(self, folder, n, chance):
        """As an editor does it; the text."""
        file, signature, right, wrong, _ = self.saved
        text = ANSWER % (signature, chance.choice([right, wrong]), n)
        with open(os.path.join(folder, file), "w") as f:
            f.write(text)
        return text


def loaded(name):
    return HERE + [(b"", b":load %s.cu\r" % name), (name + rb": (compiled|found)", b""), (PROMPT, b"")]


BOOK = [(rb" keys", b"")]
PAGE = BOOK + [(b"", b"\r"), (rb"page [0-9] of", b"")]
TASK = BOOK + [(b"", b"e"), (rb"twice\.cu", b"")]

SCREENS = [
    Screen("prompt", ["repl"], HERE, [b'x = "half a li', b"np.ar\t\t", b"\x12kept", b"\x1b[A\x1b[A", b"6 * 7\r"]),
    Screen("block", ["repl"], HERE, [BEGUN.encode(), b"function f()\rlocal a\r\x1b[A"]),
    Screen("pager", ["repl"], HERE, [b":help\r", b":help\r ", b":help\r q"]),
    Screen("lua", ["repl"], HERE, [RUNS, RUNS + b"x = 1", RUNS + b"\x03"]),
    Screen("launch", ["repl"], loaded(b"spin") + [(b"", b"a = np.zeros(32, 'i32')\r"), (PROMPT, b"")],
           [b"spin[{1, 32}](a)\r", b"spin[{1, 32}](a)\rx = 1", b"spin[{1, 32}](a)\r\x03"], span=0.3),
    Screen("compiling", ["repl"], HERE, [KERNEL, INCLUDE.encode() + b"\r" + KERNEL], span=0.3),
    Screen("lesson", ["learn", "--prompt", COURSE], [(rb"goes on|Enter to pass|[0-9]> ", b"")],
           [b"1\r", b"\r", b":next\r", b":next\r:next\r", b":lesson\r"]),
    Screen("contents", ["learn", COURSE], BOOK, [b"/tw", b"jjk", b"?", b"\r", b":", b":6 * 7\r"]),
    Screen("page", ["learn", COURSE], PAGE, [b"n", b"nnn", b"?", b"q", b":", b":6 * 7\r\r", b" "]),
    Screen("task", ["learn", COURSE], TASK, [b"", b"r", b"h", b"sy", b"q", b":", b":6 * 7\r\r"], span=0.4,
           saved=("twice.cu", TWICE, "2 * x[i]", "3 * x[i]", b"n opens the next")),
    Screen("watch", ["watch", "vector-add"], [(rb"quits", b"")], [b"", b"h", b"r"], span=0.4, caught=(130,),
           saved=("vector-add.cu", ADD, "x[i] + y[i]", "x[i]", b"done in")),
    Screen("debugger", ["repl"], loaded(b"sums") + [
        (b"", b":debug sums[{4, 64}](np.arange(256, 'f32'), np.zeros(256, 'f32'))\r"), (rb" quit", b"")],
        [b"nnn", b"c", b"\t\t", b":print v\r", b"?", b"q", b"q6 * 7\r"]),
    Screen("map", ["repl"], loaded(b"turn") + [
        (b"", b"x = np.ones({32, 32}, 'f32'); y = x + 0; turn[{1, {32, 32}}](x, y)\r"), (rb"1 block x", b""),
        (PROMPT, b":map\r"), (rb" quit", b"")], [b"l", b"\x1b[C\x1b[C", b"b?", b"i", b"q", b"q6 * 7\r"]),
    Screen("desk", ["class", "watch", "room"], [(rb" find", b"")], [b"j", b"\r", b"hread", b"/ro", b"?", b"n", b"e"],
           caught=(0,)),
    Screen("top", ["top"], [(rb" quit", b"")], [b"r", b"rrr", b"?", b"ss", b"/ro", b"p"], span=0.3),
]
