"""The report's colours and symbols can be told apart, by every eye and in grey."""

import numpy as np
import pytest

from orthonet.report import palette


def test_a_hundred_clusters_have_a_sign_each():
    assert len({palette.cluster_sign(cluster) for cluster in range(100)}) == 100


# Machado, Oliveira & Fernandes (2009): what eyes without one kind of cone see of linear RGB.
SIGHT = {
    "all": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(colour):
    shares = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def lightness_and_tint(rgb):
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("theme", palette.THEMES)
@pytest.mark.parametrize("sight", SIGHT)
def test_colours_are_apart_for_every_eye(theme, sight):
    seen = [lightness_and_tint(SIGHT[sight] @ linear(colour)) for colour in palette.THEMES[theme]["clusters"]]
    gaps = [np.linalg.norm(one - other) for place, one in enumerate(seen) for other in seen[:place]]
    assert min(gaps) > 10  # a just noticeable difference is about 2.3


@pytest.mark.parametrize("theme", palette.THEMES)
@pytest.mark.parametrize("scale", ["values", "density"])
def test_scales_read_in_grey(theme, scale):
    lightness = [lightness_and_tint(linear(colour))[0] for colour in palette.THEMES[theme][scale]]
    steps = np.diff(lightness)
    assert (steps > 3).all() or (steps < -3).all()
