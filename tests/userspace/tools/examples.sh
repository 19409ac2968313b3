# SPDX-License-Identifier: MIT
# The demo and the example of README.md work, and README.md quotes the example verbatim.
. tests/tap.sh

is "$("$BUILD/examples/saxpy" 2>&1)" "y[1] = 3, y[1023] = 3069" \
	"examples/saxpy.c computes y = 2 x + y"
has "$(examples/demo.sh 2>&1 | tail -n 1)" "demo: PASS: all values are correct on" \
	"the demo ends with demo: PASS"
shown=$(awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md)
example=$(sed -n '/check(sov_device_open/,/SOV_HOST(y), gy/s/^\t//p' examples/saxpy.c)
is "$shown" "$example" "README.md quotes the core of examples/saxpy.c verbatim"
tap_done
