#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`:image` on terminals that answer the question for graphics in several ways, while keys
are typed. Speaks TAP. Of sixels only their beginning is looked at, and only where libsixel
is."""
import base64, ctypes, os, re, shutil, sys, tempfile, time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(__file__))
import terminal

QUESTION = rb"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b\[c"
IMAGE = b":image m\r"
CAPTION = rb"black is 0, white is 6"
HALF_BLOCK = "▀".encode()
number = 0


def has_libsixel():
    try:
        return bool(ctypes.CDLL("libsixel.so.1"))
    except OSError:
        return False


def prompt(t, process):
    t.read_until(rb"virtual:0> ", process)


def first_image(t, process, answer, late=b"", question=QUESTION):
    """Keys before, between and behind what the terminal answers, and what they bring."""
    t.type(IMAGE)
    t.read_until(question, process)
    begun = t.at
    t.type(b"6 *" + answer + b" 7")
    if late:
        t.read_until(CAPTION, process)
        t.read_until(rb"7\x1b\[0m", process)
        t.type(late)
    t.type(b"\r")
    t.read_until(rb"\n42\r", process)
    return t.seen[begun:t.at]


def pixels_of(seen):
    """Of an image by kitty's protocol: width, height, columns, bytes."""
    pieces = re.findall(rb"\x1b_G([^;]*);([^\x1b]*)\x1b\\", seen)
    keys = dict(pair.split(b"=") for pair in pieces[0][0].split(b","))
    data = base64.b64decode(b"".join(piece[1] for piece in pieces))
    return int(keys[b"s"]), int(keys[b"v"]), int(keys[b"c"]), data


def kitty(t, process):
    seen = first_image(t, process, b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c")
    width, height, columns, data = pixels_of(seen)
    # 3 rows of 4 squares of 32 pixels, in cells of 10 x 20; the last one is white.
    assert (width, height, columns) == (128, 96, 13), (width, height, columns)
    assert len(data) == 3 * width * height and data[:3] == b"\0\0\0" and data[-3:] == b"\xff\xff\xff"
    assert HALF_BLOCK not in seen
    t.type(IMAGE)  # it is asked once
    t.read_until(rb"\x1b_Ga=T", process)
    prompt(t, process)
    t.type(b"n = np.array({{1, 0/0}, {2, 3}})\r:image n\r")  # "?" is a character
    t.read_until(rb"1 NaN", process)
    assert HALF_BLOCK in t.seen and len(re.findall(QUESTION, t.seen)) == 1


def sixel(t, process):
    seen = first_image(t, process, b"\x1b[?62;4;22c")
    assert re.search(rb"\x1bP[0-9;]*q", seen) if has_libsixel() else HALF_BLOCK in seen


def multiplexed(t, process):
    """For whom kitty's question would be a title."""
    seen = first_image(t, process, b"\x1b[?62;4;22c", question=rb"\x1b\[c")
    assert re.search(rb"\x1bP[0-9;]*q", seen) if has_libsixel() else HALF_BLOCK in seen
    assert b"\x1b_" not in t.seen


def no_attribute(t, process):
    # 4 as a terminal's class, and 14, are no sixels
    assert HALF_BLOCK in first_image(t, process, b"\x1b[?4;6;14c")


def refused(t, process):
    assert HALF_BLOCK in first_image(t, process, b"\x1b_Gi=31;ENOTSUP:no\x1b\\\x1b[?6c")


def silent(t, process):
    assert HALF_BLOCK in first_image(t, process, b"")


def byte_0(t, process):
    """Ctrl-Space, which sets the mark."""
    assert HALF_BLOCK in first_image(t, process, b"\0\x1b[?6c")


def typed_on(t, process):
    """Keys do not put off the end of the wait."""
    t.type(IMAGE)
    t.read_until(QUESTION, process)
    end = time.time() + terminal.hang_s
    while not re.search(CAPTION, t.seen):
        assert process.poll() is None and time.time() < end
        t.type(b" ")
        t.read_for(0.02)
    t.type(b"6 * 7\r")
    t.read_until(rb"\n42\r", process)


def no_answer(t, process):
    """Alt-_ and a G, as an answer begins, and behind a pause what a person types."""
    t.type(b"\x1b_G")
    for key in range(100):  # of 256 that an answer may have
        if b"w" in t.seen[t.at:]:
            break
        t.type(b"w")
        t.read_for(0.2)
    t.read_until(rb"w", process)
    t.type(b"\x15" + b"3 * 3\r")
    t.read_until(rb"\n9\r", process)


def late(t, process):
    seen = first_image(t, process, b"", b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c")
    assert HALF_BLOCK in seen and b"does nothing here" not in seen
    t.type(b"3 * 3\r")
    t.read_until(rb"\n9\r", process)


def broken_off(t, process):
    """The rest of the answer comes when nobody waits for it any more."""
    t.type(IMAGE)
    t.read_until(QUESTION, process)
    t.type(b"\x1b[?62;")
    t.read_until(CAPTION, process)
    prompt(t, process)
    t.type(b"4c6 * 7\r")
    t.read_until(rb"\n42\r", process)


def late_on_a_screen(t, process):
    """In pieces between which Esc would be a key, when the workbook is open."""
    t.type(IMAGE)
    t.read_until(QUESTION, process)
    t.read_until(CAPTION, process)
    t.type(b":workbook\r")
    t.read_until(rb"next", process)
    for piece in (b"\x1b_Gi=3", b"1;OK", b"\x1b\\\x1b[?62", b";4c"):
        t.type(piece)
        t.read_for(0.2)
    t.type(b"?")
    t.read_until(rb"The keys of the contents", process)
    assert b"leaves warpshop" not in t.seen and b"does nothing" not in t.seen
    t.type(b"x:")
    t.read_until(rb"1.1 virtual:0> |virtual:0> ", process)


def nonsense(t, process):
    seen = first_image(t, process, b"\x1b[?7;x\x1b[31;1R")
    assert HALF_BLOCK in seen


def unasked(t, process):
    t.type(IMAGE)
    t.read_until(CAPTION, process)
    prompt(t, process)
    assert not re.search(QUESTION, t.seen)


def case(program, play, **more):
    global number
    number += 1
    folder = tempfile.mkdtemp(dir=scratch)
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "WARPSHOP_PLAIN", "TMUX", "STY")}
    environment |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "WARPSHOP_HOME": os.getcwd(), "WARPSHOP_DEVICE": "virtual:0",
                    "XDG_STATE_HOME": folder, "XDG_DATA_HOME": folder, **more}
    t = screen
    t.forget()
    process = t.start([program, "repl"], environment, folder)
    name = play.__name__ + "".join(" " + key for key in more)
    try:
        prompt(t, process)
        t.type(b"m = np.outer(np.arange(3), np.arange(4))\r")
        t.read_until(rb"\n[^\n]*virtual:0> ", process)
        play(t, process)
        t.type(b":quit\r")
        status, differs = t.ended(process), t.differs()
        assert (status, differs) == (0, []), (status, differs)
        print("ok %d - %s" % (number, name), flush=True)
    except Exception as e:
        process.kill()
        process.wait()
        t.differs()
        print("# %s: %s %s" % (name, type(e).__name__, e), "# %r" % t.seen[-600:], "not ok %d - %s" % (number, name), sep="\n", flush=True)


program = os.path.join(os.getcwd(), os.environ.get("BUILD", "build"), "warpshop")
terminal.own_session()
screen = terminal.Terminal()
scratch = tempfile.mkdtemp()
for play in (kitty, sixel, no_attribute, refused, byte_0):  # who answers may be slow
    case(program, play, WARPSHOP_GRAPHICS="60000")
for more in ({"TMUX": "/tmp/tmux,1,0"}, {"STY": "1.pts"}, {"TERM": "screen-256color"}, {"TERM": "tmux-256color"}):
    case(program, multiplexed, WARPSHOP_GRAPHICS="60000", **more)
for play in (silent, typed_on, late, late_on_a_screen, broken_off, no_answer, nonsense):
    case(program, play)
for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"WARPSHOP_GRAPHICS": "0"}):
    case(program, unasked, **more)
shutil.rmtree(scratch)
print("1..%d" % number)
