-- Lua 5.4, and the globals that warpshop gives every script.
std = "lua54"
max_line_length = 80
read_globals = {"np", "cuda"}
exclude_files = {"tests/fixtures/*.lua"}
files["tests"] = {globals = {"np", "cuda"}}
