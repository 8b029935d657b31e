// expect: vector-add compile-error not <ESC>
#error [2J]0;owned
