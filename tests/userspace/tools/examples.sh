# SPDX-License-Identifier: MIT
# The demo and the program that README.md shows do what they say.
. tests/tap.sh

is "$("$BUILD/examples/saxpy" 2>&1)" "y[1] = 3, y[1023] = 3069" "examples/saxpy.c computes y = 2 x + y"
has "$(examples/demo.sh 2>&1 | tail -n 1)" "demo: PASS: every value is right; it ran on" "the demo ends with demo: PASS"
shown=$(awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md)
there=$(sed -n '/check(sov_device_open/,/SOV_HOST(y), gy/s/^\t//p' examples/saxpy.c)
is "$shown" "$there" "README.md shows the heart of examples/saxpy.c as it is"
tap_done
