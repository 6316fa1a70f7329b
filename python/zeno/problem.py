# SPDX-License-Identifier: Apache-2.0
"""The contact solver alone."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

from . import _zeno, arrays, errors

_SOLVERS = {"auto": 0, "newton": 1, "projection": 2}


class ContactSolution(NamedTuple):
    """Percussions ``r``, velocities ``u``, the residual of the natural map, and what it took."""

    r: Any
    u: Any
    residual: float
    cost: dict[str, int]


def _triplets(matrix: Any) -> Any:
    numpy = arrays.numpy
    if matrix is None:
        return None
    if hasattr(matrix, "tocoo"):
        coo = matrix.tocoo()
        rows, columns, values, shape = coo.row, coo.col, coo.data, coo.shape
    else:
        dense = numpy.asarray(matrix, dtype=float)
        if dense.ndim != 2:
            raise ValueError("a matrix has two dimensions")
        rows, columns = numpy.nonzero(dense)
        values, shape = dense[rows, columns], dense.shape
    return (shape[0], shape[1], numpy.ascontiguousarray(rows, dtype=numpy.intc), numpy.ascontiguousarray(columns, dtype=numpy.intc),
            numpy.ascontiguousarray(values, dtype=float))


def _vector(values: Any, count: Optional[int] = None) -> Any:
    if values is None:
        return None
    array = arrays.numpy.asarray(values, dtype=float)
    if array.ndim == 0 and count is not None:
        array = arrays.numpy.full(count, float(array))
    return arrays.numpy.ascontiguousarray(array.reshape(-1))


def solve_contact_problem(W: Any = None, q: Any = None, mu: Any = 0.0, *, dim: int = 3, M: Any = None, H: Any = None, f: Any = None, w: Any = None,
                          mu_rolling: Any = None, residual: float = 1e-10, solver: str = "auto", start: Any = None) -> ContactSolution:
    """Solves u = W r + q (or M v = H r + f, u = H' v + w) with Signorini's and Coulomb's laws.

    Each contact has ``dim`` rows, the normal first: 1 (no friction), 2 (plane), 3 (space) or 5 (space with rolling). Matrices are SciPy sparse
    matrices or arrays; ``mu`` is one number or one for each contact. A problem that is not solved to ``residual`` is a ``StepError`` whose
    ``result`` is the best that was found.
    """
    numpy = arrays.need_numpy("solve_contact_problem")
    if solver not in _SOLVERS:
        raise ValueError(f"there is no solver '{solver}'; the solvers are {', '.join(_SOLVERS)}")
    if (W is None) == (M is None):
        raise ValueError("a contact problem is given by W and q, or by M, H and f")
    if (W is not None and q is None) or (M is not None and (H is None or f is None)):
        raise ValueError("a contact problem is given by W and q, or by M, H and f")
    rows = W.shape[0] if W is not None and hasattr(W, "shape") else len(W) if W is not None else H.shape[1]
    if dim not in (1, 2, 3, 5) or rows % dim:
        raise ValueError(f"{rows} rows are not contacts of {dim} rows")
    n = rows // dim
    r = numpy.zeros(rows) if start is None else _vector(start).copy()
    u = numpy.zeros(rows)
    try:
        status, outcome, error = _zeno.solve_contact_problem(
            dim, n, _triplets(W), _vector(q), _triplets(M), _triplets(H), _vector(f), _vector(w), _vector(mu, n),
            _vector(mu_rolling, n), _SOLVERS[solver], float(residual), r, u)
    except _zeno.Error as failure:
        raise errors.from_library(failure) from None
    reached = outcome.pop("residual")
    solution = ContactSolution(r, u, reached, outcome)
    if error is None:
        return solution
    if errors._names[status] == "argument":
        raise ValueError(error[1])
    raise errors.from_library(error, errors.StepError, result=solution)
