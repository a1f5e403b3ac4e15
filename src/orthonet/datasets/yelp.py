"""Yelp, the paper's protocol: businesses by the mood of their reviews and the votes on those, to be sorted by stars.

| nodes | layers | features | classes |
|---|---|---|---|
| 1820 | 2 (20-NN: sentiment, votes) | 2: sentiment, evaluation | 3 levels: low, medium, high (125, 405, 1290) |

The stars of a business are the mean over its reviews: below 2.5 is low (rounds to 1 or 2), below 3.5 medium, and the
rest high. The sentiment is the mean polarity, in [-1, 1], of its review texts [1]_. Votes ("cool", "useful", "funny")
are spread widely, so a review counts log(1 + votes) of each kind; the layer of votes sees the three means over the
reviews, the evaluation is the mean of the three. The paper's own 1600 businesses are not public: this is its recipe on
the 10,000 reviews of a Kaggle contest, taking businesses with at least two.

References
----------
.. [1] C. Hutto, E. Gilbert, "VADER: a parsimonious rule-based model for sentiment analysis of social media text", ICWSM 2014.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from orthonet.datasets.dataset import Dataset, data_file
from orthonet.datasets.relations import table_rows
from orthonet.files.errors import reading
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_choice, check_integer
from orthonet.support.optional import require
from orthonet.support.progress import progress

VOTES = ("cool", "useful", "funny")
LEVELS = (2.5, 3.5)
LARGEST = 200 * 2**20
"""Bytes that the table may unpack to; it has 8 million."""


@dataclass(frozen=True)
class Review:
    """What one review says, and what readers made of it."""

    business: str
    stars: int
    text: str
    votes: tuple[int, ...]


def load_yelp(
    data_home: str | PathLike[str] | None = None,
    *,
    min_reviews: int = 2,
    sentiment: str | Callable[[str], float] = "vader",
    n_neighbors: int = 20,
    weights: str = "self-tuning",
    verbose: bool | None = None,
) -> Dataset:
    """Load the businesses from ``yelp/yelp.csv.zip`` in ``data_home`` (or ORTHONET_DATA_HOME).

    Parameters
    ----------
    data_home : path, optional
    min_reviews : int, default=2
        Businesses with fewer reviews are left out.
    sentiment : "vader" or a function of a text, default="vader"
        Gives a text's polarity in [-1, 1]. "vader" needs ``orthonet[text]`` and takes some seconds the first time in a
        process.
    n_neighbors : int, default=20
        As in the paper.
    weights : str, default="self-tuning"
        See `MultilayerGraph.from_views`.
    verbose : bool or None, default=None
        Whether to show progress; None does so in a terminal.
    """
    check_integer(min_reviews, "min_reviews", minimum=1)
    check_integer(n_neighbors, "n_neighbors", minimum=1)
    polarity = sentiment if callable(sentiment) else SENTIMENTS[check_choice(sentiment, "sentiment", SENTIMENTS)]
    file = data_file("yelp/yelp.csv.zip", data_home, "yelp.csv, the reviews of Kaggle's Yelp contest, zipped")
    reviews = read_reviews(file)
    of_business: dict[str, list[Review]] = {}
    for review in reviews:
        of_business.setdefault(review.business, []).append(review)
    kept = {name: found for name, found in of_business.items() if len(found) >= min_reviews}
    if len(kept) <= n_neighbors:
        raise ValueError(
            f"min_reviews={min_reviews} leaves {len(kept)} businesses, too few for n_neighbors={n_neighbors}"
        )
    moods = _moods(kept, polarity, verbose)
    votes = np.array([np.log1p([review.votes for review in found]).mean(axis=0) for found in kept.values()])
    stars = [np.mean([review.stars for review in found]) for found in kept.values()]
    layers = MultilayerGraph.from_views({"sentiment": moods, "votes": votes}, n_neighbors, weights)
    features = np.column_stack([moods, votes.mean(axis=1)])
    return Dataset(
        MultilayerGraph(layers.layers, features, layers.layer_names, list(kept), layers_from_features=True),
        np.digitize(stars, LEVELS),
        name="yelp",
        source="Kaggle, Yelp Business Rating Prediction (RecSys 2013), 10,000 reviews",
        license="not stated",
        description=f"{len(kept)} of {len(of_business)} businesses, those with at least {min_reviews} of the {len(reviews)} "
        "reviews, by their mean stars: low, medium, high. Features are the mean polarity of the texts and the mean "
        "log(1 + votes).",
        views=(moods, votes),
    )


def read_reviews(file: Path) -> list[Review]:
    """Return the reviews of a zipped table."""
    reviews = []
    with reading(file, "a zipped table of reviews"), ZipFile(file) as archive:
        tables = [entry for entry in archive.infolist() if entry.filename.endswith(".csv")]
        if len(tables) != 1:
            raise ValueError(f"it must hold one .csv file, and holds {len(tables)}")
        if tables[0].file_size > LARGEST:
            raise ValueError(
                f"{tables[0].filename} would unpack to {tables[0].file_size:,} bytes, more than {LARGEST:,}: not unpacked"
            )
        # What is read never exceeds the size that was just checked: zipfile stops there.
        with archive.open(tables[0]) as packed:
            lines = io.TextIOWrapper(packed, encoding="utf-8-sig", newline="")
            rows = table_rows(lines, ("business_id", "stars", "text", *VOTES))
            for number, row in enumerate(rows, start=1):
                reviews.append(_review(row, number))
    return reviews


def _review(row: dict[str, str], number: int) -> Review:
    try:
        stars, votes = int(row["stars"]), tuple(int(row[kind]) for kind in VOTES)
        fine = row["business_id"] != "" and 1 <= stars <= 5 and min(votes) >= 0
    except ValueError:
        fine = False
    if not fine:
        cells = {name: row[name] for name in ("business_id", "stars", *VOTES)}
        raise ValueError(f"review {number} must have a business, 1 to 5 stars and votes >= 0, but has {cells}")
    return Review(row["business_id"], stars, row["text"], votes)


def _moods(
    kept: dict[str, list[Review]], polarity: Callable[[str], float], verbose: bool | None
) -> npt.NDArray[np.float64]:
    moods = np.empty((len(kept), 1))
    with progress("sentiment of reviews", len(kept), verbose) as report:
        for position, found in enumerate(kept.values()):
            scores = [float(polarity(review.text)) for review in found]
            if not all(-1 <= score <= 1 for score in scores):
                raise ValueError(f"sentiment must return numbers in [-1, 1], got {min(scores):g} to {max(scores):g}")
            moods[position] = np.mean(scores)
            report(position + 1, "")
    return moods


@lru_cache(maxsize=16_384)
def vader(text: str) -> float:
    """Return VADER's compound polarity of a text; remembered, as a long review takes it some milliseconds."""
    return float(_analyzer().polarity_scores(text)["compound"])


@lru_cache(maxsize=1)
def _analyzer() -> Any:
    package = require("vaderSentiment.vaderSentiment", extra="text", purpose="the sentiment of texts")
    return package.SentimentIntensityAnalyzer()


SENTIMENTS: dict[str, Callable[[str], float]] = {"vader": vader}
