# SPDX-License-Identifier: MIT
# Python: memory shared with numpy and, where they are installed, PyTorch and CuPy, without a copy.
. tests/userspace/python/_python.sh
