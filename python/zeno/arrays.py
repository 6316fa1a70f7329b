# SPDX-License-Identifier: Apache-2.0
"""Values of the library as NumPy arrays, without a copy; as memoryviews where NumPy is not installed."""
from __future__ import annotations

from typing import Any

try:
    import numpy
except ImportError:  # the package works without, and the arrays are memoryviews
    numpy = None


def asarray(buffer: Any) -> Any:
    """The buffer as an array."""
    return memoryview(buffer) if numpy is None else numpy.asarray(buffer)


def need_numpy(what: str) -> Any:
    """NumPy, or an exception that says what needs it."""
    if numpy is None:
        raise ImportError(f"{what} needs NumPy (Debian: python3-numpy; elsewhere: pip install numpy)")
    return numpy
