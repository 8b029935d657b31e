-- expect: exercises/no-loops timeout "cost"
-- Before the function is there.
while true do end
