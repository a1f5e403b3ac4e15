"""IMDB by budget, the paper's protocol: films that share actors, directors or writers, to be sorted by what they cost.

| nodes | layers (edges) | features | classes |
|---|---|---|---|
| 3656 | 3: same actor (69,812), director (8,137), writer (9,296); weight: how many | 3 | 5: 9, 789, 1527, 946, 385 |

The classes are budgets below 0.1, 10, 40, 100 million USD, and above. The features are

1. box office: log(1 + revenue);
2. awards: log(1 + wins and nominations), the larger of what the two lists of awards say of the film, 0 if neither names it;
3. the director's box office: log(1 + mean revenue of the director's other films in the set), never that of the film itself; the
   median where there are no others.

Amounts are spread over six powers of ten, hence the logarithms. The paper's own 550 films are not public: this is its
recipe on other films, and its printed scores are not comparable. Of 5490 films in the file those are kept whose budget,
revenue, cast, directors and writers are all known. Amounts below 200 are read as millions ("45" for a film of 1997);
those from 200 to 1000 may be thousands or millions and count as unknown (one film); from 1000 on they are dollars.

One list of awards holds all films nominated for an Oscar, the other all awards of 789 films since 2009 that earned
much: the second makes recent successful films look better decorated than older ones. ``awards="oscars"`` leaves it out.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.datasets.dataset import Dataset, data_file
from orthonet.datasets.relations import table_rows
from orthonet.files.errors import reading
from orthonet.files.source import Source
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_choice

Awards = Literal["all", "oscars"]
BUDGET_RANGES = (0.1e6, 10e6, 40e6, 100e6)
MILLIONS_BELOW, DOLLARS_FROM = 200.0, 1000.0
PEOPLE = {"same actor": "cast", "same director": "directors", "same writer": "writers"}
COLUMNS = ("id", "title", "release_year", "budget", "revenue", *PEOPLE.values())
NO_VALUE = ("", "-")


@dataclass(frozen=True)
class Film:
    """A film of which everything needed is known."""

    id: str
    title: str
    year: int
    budget: float
    revenue: float
    people: dict[str, frozenset[str]]


def load_imdb_movies(data_home: str | PathLike[str] | None = None, *, awards: Awards = "all") -> Dataset:
    """Load the films from the folder ``imdb_movies`` in ``data_home`` (or ORTHONET_DATA_HOME).

    The files are movies.csv, oscars.csv and omdb_awards.csv. How many films were dropped, and why, is in the description.

    Parameters
    ----------
    data_home : path, optional
    awards : {"all", "oscars"}, default="all"
        Which list of awards to count; see the module.
    """
    check_choice(awards, "awards", get_args(Awards))
    what = (
        f"a table of films with the columns {', '.join(COLUMNS)}, the Oscar nominations with titles and years, and OMDb's "
        "awards (movies.csv, oscars.csv, omdb_awards.csv; we know of no public address of these very files)"
    )
    names = ["movies.csv", "oscars.csv"] + (["omdb_awards.csv"] if awards == "all" else [])
    files = [data_file(f"imdb_movies/{name}", data_home, what) for name in names]
    films, dropped = read_films(files[0])
    counts = [read_oscars(files[1]), *map(read_omdb_awards, files[2:])]
    revenue = np.array([film.revenue for film in films])
    honours = np.array([max(_of_film(count, film) for count in counts) for film in films])
    who_directs = incidence([film.people["directors"] for film in films])
    of_director = others_mean(who_directs, revenue)
    n_first = int(np.isnan(of_director).sum())
    of_director[np.isnan(of_director)] = np.nanmedian(of_director)
    layers = {name: in_common(incidence([film.people[key] for film in films])) for name, key in PEOPLE.items()}
    n_honoured = int((honours > 0).sum())
    lost = "; ".join(f"{count} {reason}" for reason, count in dropped.items())
    return Dataset(
        MultilayerGraph(
            layers, np.log1p(np.column_stack([revenue, honours, of_director])), node_ids=[film.id for film in films]
        ),
        np.digitize([film.budget for film in films], BUDGET_RANGES),
        name="imdb movies",
        source="a table of 5490 films with cast, crew, budget and revenue, the Oscar nominations, OMDb's awards of 789",
        license="not stated",
        description="Films by budget: below 0.1, 10, 40, 100 million USD, and above. Features are the logarithms of box "
        f"office, awards and the director's box office in other films. Dropped: {lost}. {n_honoured} of {len(films)} "
        f"films have awards; {n_first} have a director with no other film in the set, and the median in the third feature.",
    )


def read_films(file: Path) -> tuple[list[Film], dict[str, int]]:
    """Return the complete films of a table, and how many were dropped for which reason (each for its first)."""
    films: list[Film] = []
    dropped: Counter[str] = Counter()
    with reading(file, "a table of films"):
        for row in table_rows(Source.of(file).lines(newline=""), COLUMNS):
            budget, revenue = (amount(row[name]) for name in ("budget", "revenue"))
            people = {key: people_of(row[key]) for key in PEOPLE.values()}
            nobody = [key for key, names in people.items() if not names]
            unknown = [name for name, value in (("budget", budget), ("revenue", revenue)) if value is None]
            if unknown:
                doubtful = row[unknown[0]] not in NO_VALUE
                dropped[f"with a {unknown[0]} of doubtful unit" if doubtful else f"without {unknown[0]}"] += 1
            elif nobody:
                dropped[f"without {nobody[0]}"] += 1
            elif budget is not None and revenue is not None:
                films.append(Film(row["id"], row["title"], int(row["release_year"]), budget, revenue, people))
        if not films:
            raise ValueError("no film is complete")
    return films, dict(dropped)


def amount(text: str) -> float | None:
    """Return an amount of money in dollars, or None if it is missing or its unit is not clear.

    >>> amount("$1,234,567.00"), amount("45"), amount("-"), amount("$260.00")
    (1234567.0, 45000000.0, None, None)
    """
    if text in NO_VALUE:
        return None
    number = float(text.replace("$", "").replace(",", ""))
    if not np.isfinite(number) or number < 0:
        raise ValueError(f"an amount must be a number >= 0, got {text!r}")
    if number == 0 or MILLIONS_BELOW <= number < DOLLARS_FROM:
        return None
    return number * 1e6 if number < MILLIONS_BELOW else number


def people_of(text: str) -> frozenset[str]:
    """Return the distinct names of a field, without regard to case and spaces."""
    names = (" ".join(name.split()).casefold() for name in text.split(";"))
    return frozenset(name for name in names if name not in NO_VALUE)


def title_key(title: str) -> str:
    """Return a title without accents, case, punctuation and article, so that two spellings of it agree.

    >>> title_key("The Karate Kid, Part II"), title_key("Amélie"), title_key("Matrix, The")
    ('karate kid part ii', 'amelie', 'matrix')
    """
    letters = unicodedata.normalize("NFKD", title.casefold().replace("&", " and "))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    words = re.sub(r"[^\w\s]|_", " ", plain.replace("'", "").replace("\u2019", "")).split()
    articles = ("the", "a", "an")
    if len(words) > 1 and words[0] in articles:
        words = words[1:]
    elif len(words) > 1 and words[-1] in articles and "," in title:
        words = words[:-1]
    return " ".join(words)


def read_oscars(file: Path) -> Counter[tuple[str, int]]:
    """Count the nominations, won or not, of each film, by title and year."""
    counts: Counter[tuple[str, int]] = Counter()
    with reading(file, "a table of Oscar nominations"):
        # Quotation marks are part of the text here: the table is separated by tabs and quotes nothing.
        lines = (line.replace('"', "") for line in Source.of(file).lines(newline=""))
        for row in table_rows(lines, ("Year", "Film"), delimiter="\t"):
            year = int(row["Year"][:4])  # "1927/28"
            for title in filter(None, row["Film"].split("|")):
                counts[title_key(title), year] += 1
    return counts


def read_omdb_awards(file: Path) -> Counter[tuple[str, int]]:
    """Count wins and nominations in sentences such as "Won 2 Oscars. Another 10 wins & 20 nominations."."""
    counts: Counter[tuple[str, int]] = Counter()
    with reading(file, "a table of OMDb's awards"):
        for row in table_rows(Source.of(file).lines(newline=""), ("Title", "Year_x", "Awards")):
            total = sum(map(int, re.findall(r"\d+", row["Awards"])))
            counts[title_key(row["Title"]), int(float(row["Year_x"]))] += total
    return counts


def _of_film(counts: Counter[tuple[str, int]], film: Film) -> int:
    """Look a film up by title and year; a premiere may be listed a year off."""
    key = title_key(film.title)
    return next((counts[key, year] for year in (film.year, film.year + 1, film.year - 1) if (key, year) in counts), 0)


def incidence(groups: Sequence[Iterable[str]]) -> csr_array:
    """Return the matrix of films by people, 1 where a person took part."""
    place: dict[str, int] = {}
    cols = [[place.setdefault(name, len(place)) for name in sorted(group)] for group in groups]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in cols])])
    flat = np.array([col for row in cols for col in row], dtype=np.int64)
    return csr_array((np.ones(len(flat)), flat, starts), shape=(len(groups), len(place)))


def in_common(films_by_people: csr_array) -> csr_array:
    """Return how many people each two films have in common, 0 on the diagonal."""
    shared = csr_array(films_by_people @ films_by_people.T)
    shared.setdiag(0)
    shared.eliminate_zeros()
    return shared


def others_mean(films_by_people: csr_array, revenue: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean revenue of the other films of a film's people, NaN if they have none."""
    # B (Bᵀ r) counts the film itself once for each of its people; take that out again.
    n_own = films_by_people.sum(axis=1)
    totals = films_by_people @ (films_by_people.T @ revenue) - n_own * revenue
    n_others = films_by_people @ films_by_people.sum(axis=0) - n_own
    return np.where(n_others > 0, totals / np.maximum(n_others, 1), np.nan)
