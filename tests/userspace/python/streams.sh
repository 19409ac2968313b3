# SPDX-License-Identifier: MIT
# Python: streams, events and contexts.
. tests/userspace/python/_python.sh
