"""The coefficients are those that the fits find."""

import pytest
from elementary.fits import FITS, Fit, fitted

from teloom.passes.elementary import coefficients


@pytest.mark.parametrize("fit", FITS, ids=lambda fit: fit.name)
def test_fit(fit: Fit):
    there = getattr(coefficients, fit.name)
    assert there.keys() == fit.terms.keys()
    type = min(fit.terms)
    found, _ = fitted(fit, type)
    assert there[type] == pytest.approx(found, rel=1e-6)
