# SPDX-License-Identifier: Apache-2.0
"""Values of the library as NumPy arrays, without a copy; as memoryviews where NumPy is not installed."""
from __future__ import annotations

import array
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Array = NDArray[float64]
else:
    Array = Any

numpy: Any = None  # the package works without, and the arrays are memoryviews
try:
    numpy = importlib.import_module("numpy")
except ImportError:
    pass

#: NumPy's own truth values.
Bool: type = bool if numpy is None else numpy.bool_


def asarray(buffer: Any) -> Any:
    """The buffer as an array."""
    return memoryview(buffer) if numpy is None else numpy.asarray(buffer)


def copy(buffer: Any) -> Any:
    """The values as an array of their own; as a list where NumPy is not installed."""
    return memoryview(buffer).tolist() if numpy is None else numpy.array(buffer)


def floats(values: Any, what: str) -> Any:
    """A vector of doubles from whatever holds numbers."""
    if numpy is None:
        return array.array("d", values)
    try:
        vector = numpy.ascontiguousarray(values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be numbers, not {values!r}") from None
    if vector.ndim != 1:
        raise ValueError(f"{what} must be a vector, not an array of the shape {vector.shape}")
    return vector


def need_numpy(what: str) -> Any:
    """NumPy, or an exception that says what needs it."""
    if numpy is None:
        raise ImportError(f"{what} needs NumPy (Debian: python3-numpy; elsewhere: pip install numpy)")
    return numpy
