# SPDX-License-Identifier: MIT
"""Version of the package: that of sov.h, which the tests compare."""

VERSION = "0.1.0"
