-- SPDX-License-Identifier: Apache-2.0
-- frame beside pandas: the random programs that are kept (tests/frame/make.py).
loadfile("tests/frame/run.lua")("tests/frame/programs.lua")
