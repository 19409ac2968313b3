# SPDX-License-Identifier: MIT
# Python: kernels, their arguments, variables of modules, and errors with the library's sentence.
. tests/userspace/python/_python.sh
