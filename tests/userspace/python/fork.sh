# SPDX-License-Identifier: MIT
# Python: a child of fork() uses nothing of its parent's and makes its own.
. tests/userspace/python/_python.sh
