# SPDX-License-Identifier: MIT
# Python: version, and structures with the offsets of sov.h.
. tests/userspace/python/_python.sh
