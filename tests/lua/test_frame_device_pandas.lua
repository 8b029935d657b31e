-- SPDX-License-Identifier: Apache-2.0
-- The random programs of test_frame_pandas.lua, columns on the device in use.
loadfile("tests/frame/run.lua")("device", "tests/frame/programs.lua")
