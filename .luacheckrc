-- Lua 5.4, and the globals that warpshop gives every script.
std = "lua54"
max_line_length = 80
read_globals = {"np", "cuda"}
exclude_files = {"tests/fixtures/*.lua"}
files["bench/frame"] = {read_globals = {"np", "cuda", "frame", "ml"}}
files["bench/ml"] = {read_globals = {"np", "ml"}}
files["bench/scale"] = {read_globals = {"np", "scale"}}
files["bench/seeds"] = {read_globals = {"np", "frame", "ml", "scale"}}
files["bench/comm"] = {read_globals = {"np", "cuda", "jax"}}
files["bench/jax"] = {read_globals = {"np", "cuda", "jax", "jnp"}}
files["bench/vgpu"] = {read_globals = {"cuda", "jax", "jnp"}}
files["bench/mesh"] = {read_globals = {"cuda", "jax", "jnp"}}
files["bench/ladders"] = {read_globals = {"np", "cuda", "jax", "jnp"}}
-- CUDA sources stand in tests.
files["tests"] = {
  globals = {"np", "cuda", "jax", "jnp", "frame", "h5", "ml", "scale"},
  max_string_line_length = 100,
}
-- Its tests hand functions to workers, which see globals.
files["tests/lua/test_scale.lua"] = {allow_defined_top = true, ignore = {"113"}}
files["exercises/*/exercise.lua"] = {read_globals = {"blocks_for"}}
files["skeleton/exercises/*/solution.lua"] = {
  globals = {"np"}, allow_defined_top = true, ignore = {"113", "131"},
}
-- What is handed in defines a global function, which need not use all that it is
-- given, and may launch the exercise's kernels, which are globals.
files["exercises/*/solution.lua"] = {
  globals = {"np", "jax", "jnp"}, allow_defined_top = true,
  ignore = {"113", "131", "212"},
}
-- An example of the help is one line, so that the tests can run it.
files["lua/help"] = {max_line_length = false}
files["tests/programs"] = {globals = {"np", "cuda"}, max_line_length = 100}
