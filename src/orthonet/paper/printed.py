"""Numbers as others printed them: the paper's Tables 1 and 2, and what newer methods report. None of these was run here."""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """A row of the paper; its "RI" is the adjusted Rand index in some columns and the plain one in others."""

    purity: float
    nmi: float
    ri: float
    seconds: float | None = None


class Published(NamedTuple):
    """A row of a newer paper."""

    accuracy: float
    nmi: float
    ari: float | None = None


TABLE1: dict[tuple[str, str], tuple[Printed, Printed]] = {
    ("synthetic 2,000", "one layer"): (Printed(0.9375, 0.8626, 0.8568), Printed(0.9395, 0.8647, 0.8610)),
    ("synthetic 2,000", "average"): (Printed(0.9475, 0.8437, 0.8731), Printed(0.9535, 0.8614, 0.8873)),
    ("synthetic 2,000", "SC-ML"): (Printed(0.9555, 0.8634, 0.8919), Printed(0.9580, 0.8718, 0.8977)),
    ("synthetic 2,000", "SPD"): (Printed(0.9705, 0.9075, 0.9275), Printed(0.9720, 0.9113, 0.9312)),
    ("Mfeat", "one layer"): (Printed(0.7900, 0.7489, 0.6558), Printed(0.8000, 0.7631, 0.6752)),
    ("Mfeat", "average"): (Printed(0.8395, 0.8410, 0.7622), Printed(0.8515, 0.8371, 0.7761)),
    ("Mfeat", "SC-ML"): (Printed(0.8775, 0.8780, 0.8339), Printed(0.8920, 0.8860, 0.8438)),
    ("Mfeat", "SPD"): (Printed(0.9130, 0.8953, 0.8575), Printed(0.9555, 0.9128, 0.9057)),
}
"""(data, aggregation) → what spectral clustering and OrthoNet reach on it."""

TABLE2: dict[str, dict[str, Printed]] = {
    "synthetic 10,000": {
        "K-means, raw features": Printed(0.9901, 0.9664, 0.9756, 0.10),
        "SC-ML": Printed(0.9858, 0.9545, 0.9652, 153.84),
        "GMC": Printed(0.3996, 0.7299, 0.4763, 1345),
        "PLM": Printed(0.9886, 0.9621, 0.9910, 408.62),
        "MIMOSA": Printed(0.9868, 0.9566, 0.9896, 1418),
        "SpectralNet": Printed(0.9940, 0.9720, 0.9840, 464.31),
        "OrthoNet, as in the paper": Printed(0.9948, 0.9756, 0.9827, 785.84),
    },
    "Yelp": {
        "K-means, raw features": Printed(0.8656, 0.6265, 0.5912, 0.016),
        "SC-ML": Printed(0.7748, 0.3329, 0.5192, 1.54),
        "GMC": Printed(0.7007, 0.3925, 0.6010, 7.3),
        "PLM": Printed(0.7616, 0.6754, 0.8433, 5.10),
        "MIMOSA": Printed(0.7168, 0.1395, 0.6603, 115.67),
        "SpectralNet": Printed(0.9460, 0.6810, 0.7322, 82.04),
        "OrthoNet, as in the paper": Printed(0.9570, 0.7910, 0.9044, 6.42),
    },
    "IMDB": {
        "K-means, raw features": Printed(0.8280, 0.2331, 0.0219, 0.04),
        "SC-ML": Printed(0.8817, 0.3614, 0.2680, 0.31),
        "GMC": Printed(0.7007, 0.1563, 0.5245, 2.21),
        "PLM": Printed(0.8495, 0.2260, 0.7437, 20.89),
        "MIMOSA": Printed(0.5358, 0.0953, 0.4347, 50.6),
        "SpectralNet": Printed(0.7310, 0.2200, 0.1810, 30.35),
        "OrthoNet, as in the paper": Printed(0.8925, 0.5056, 0.6909, 19.68),
    },
    "100 leaves": {
        "K-means, raw features": Printed(0.6987, 0.8452, 0.5578, 1.12),
        "SC-ML": Printed(0.9487, 0.9717, 0.9129, 1.86),
        "GMC": Printed(0.8237, 0.9292, 0.4974, 8.09),
        "PLM": Printed(0.8229, 0.9079, 0.9819, 4.06),
        "SpectralNet": Printed(0.7840, 0.8370, 0.3530, 770),
        "OrthoNet, as in the paper": Printed(0.9712, 0.9812, 0.9478, 4.17),
    },
    "Mfeat": {
        "K-means, raw features": Printed(0.5470, 0.5744, 0.4293, 0.71),
        "SC-ML": Printed(0.8775, 0.8780, 0.8339, 3.45),
        "GMC": Printed(0.8820, 0.9041, 0.8496, 24.05),
        "PLM": Printed(0.8780, 0.8807, 0.9692, 11.82),
        "MIMOSA": Printed(0.2215, 0.3549, 0.9960, 13.04),
        "SpectralNet": Printed(0.7685, 0.7480, 0.6343, 95.12),
        "OrthoNet, as in the paper": Printed(0.9555, 0.9128, 0.9057, 10.85),
    },
}
"""Data → method → row. "Synthetic", Yelp and IMDB are other files than ours: only the order of the methods compares."""

NEWER: dict[str, dict[str, Published]] = {
    "ACM": {"VGMGC": Published(0.943, 0.773, 0.837), "DuaLGR": Published(0.927, 0.732, 0.794)},
    "DBLP": {"VGMGC": Published(0.932, 0.783, 0.837), "DuaLGR": Published(0.924, 0.755, 0.817)},
    "BBCSport": {"VGMGC": Published(0.983, 0.946)},
    "3sources": {"VGMGC": Published(0.947, 0.865)},
}
"""Data → method → what its authors publish, with settings of their own for each data set."""
