"""Vectors and quaternions as tuples, against NumPy and SciPy: the formulas that arrays use stand there too."""

import numpy as np
from scipy.spatial.transform import Rotation

from proxops.maths import triple as tuples


def test_vectors_against_numpy() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        y, A = rng.standard_normal(8), rng.standard_normal((3, 3))
        a, b = tuples.triple(y, 1), tuples.triple(y, 5)
        assert (a, b) == (tuple(y[1:4]), tuple(y[5:]))
        assert tuples.difference(a, b) == tuple(y[1:4] - y[5:])
        np.testing.assert_allclose(tuples.crossed(a, b), np.cross(a, b), rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(tuples.mapped(A, a), A @ a, rtol=0.0, atol=1e-14)


def test_quaternions_against_scipy() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        y = np.r_[0.0, *(x / np.linalg.norm(x) for x in rng.standard_normal((2, 4)))]
        p, q = tuples.quad(y, 1), tuples.quad(y, 5)
        assert (p, q) == (tuple(y[1:5]), tuple(y[5:]))
        P, Q = (Rotation.from_quat(x, scalar_first=True) for x in (p, q))
        for ours, theirs in ((tuples.composed(p, q), P * Q), (tuples.inverse(p), P.inv())):
            expected = theirs.as_quat(scalar_first=True)
            np.testing.assert_allclose(ours, np.copysign(1.0, ours @ expected) * expected, rtol=0.0, atol=1e-15)
        v = rng.standard_normal(3)
        np.testing.assert_allclose(tuples.rotated(p, tuples.triple(v, 0)), P.apply(v), rtol=0.0, atol=1e-14)
