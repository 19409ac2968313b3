# SPDX-License-Identifier: MIT
# Python: arrays to and from numpy, views, fills, and what is refused.
. tests/userspace/python/_python.sh
