"""Vectors as tuples give what vectors as arrays give, to the last bit."""

import numpy as np

from proxops.maths import triple as tuples
from proxops.maths.quaternion import cross, quat_inverse, quat_product, turned
from proxops.maths.small_matrix import applied


def test_tuples_and_arrays_are_one() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        y, A = rng.standard_normal(14), rng.standard_normal((3, 3))
        p, q, a, b = y[:4], y[4:8], y[8:11], y[11:]
        as_tuples = tuples.quad(y, 0), tuples.quad(y, 4), tuples.triple(y, 8), tuples.triple(y, 11)
        assert as_tuples == tuple(map(tuple, (p, q, a, b)))
        tp, tq, ta, tb = as_tuples
        assert tuples.less(ta, tb) == tuple(a - b)
        assert tuples.crossed(ta, tb) == tuple(cross(a, b))
        assert tuples.mapped(A, ta) == tuple(applied(A, a))
        assert tuples.inverse(tq) == tuple(quat_inverse(q))
        assert tuples.rotated(tq, ta) == tuple(turned(q, a))
        assert tuples.composed(tp, tq) == tuple(quat_product(p, q))
