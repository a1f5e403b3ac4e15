"""The paper's IMDB and Yelp protocols: cleaning, joining and averaging, on small tables and, where at hand, the real ones."""

import csv
import io
import zipfile

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet.datasets import yelp
from orthonet.datasets.imdb_movies import amount, in_common, incidence, load_imdb_movies, others_mean, title_key
from orthonet.datasets.yelp import load_yelp

FILM_COLUMNS = ("id", "title", "cast", "directors", "writers", "release_year", "budget", "revenue")
FILMS = [
    ("f0", "The First", "Ann;Bob", "Dee", "Wes", "2001", "$50000.00", "$1,000,000.00"),
    ("f1", "Second", "ann ;Cy", "Dee", "Wes;Wes;Vi", "2005", "45", "$3000000"),
    ("f2", "Third", "Bob;Ann", "Dee;Flo", "Vi", "2010", "$9000000", "$5000000"),
    ("f3", "Fourth", "Gus", "Flo", "Una", "1990", "$200000000", "$80.00"),
    ("f4", "Alone", "Zed", "Hal", "Ida", "1991", "$40000000", "$2000000"),
    ("x0", "No budget", "A", "B", "C", "2001", "-", "$1000000"),
    ("x1", "No revenue", "A", "B", "C", "2001", "$1000000", "-"),
    ("x2", "Doubtful", "A", "B", "C", "2001", "$1000000", "$260"),
    ("x3", "No writers", "A", "B", "-", "2001", "$1000000", "$1000000"),
]
OSCARS = [
    ("2001", "First, The", "True"),
    ("2001", "The First", ""),
    ("2009", "Third|Unknown", ""),
    ("1927/28", 'Said "so"', ""),
    ("1989", "", "True"),
]
OMDB = [
    ("Second!", "2005", "Won 2 Oscars. Another 10 wins & 20 nominations."),
    ("Third", "2010", "1 win."),
    ("Fourth", "2018", "3 nominations."),
    ("Alone", "1991", ""),
]


def write_table(path, columns, rows, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([columns, *rows])


@pytest.fixture
def film_home(tmp_path):
    folder = tmp_path / "imdb_movies"
    folder.mkdir()
    write_table(folder / "movies.csv", FILM_COLUMNS, FILMS)
    (folder / "oscars.csv").write_text("\n".join("\t".join(row) for row in [("Year", "Film", "Winner"), *OSCARS]))
    write_table(folder / "omdb_awards.csv", ("Title", "Year_x", "Awards"), OMDB)
    return tmp_path


def test_films_are_cleaned_and_the_dropped_are_counted(film_home):
    data = load_imdb_movies(film_home)
    assert data.graph.node_ids.tolist() == ["f0", "f1", "f2", "f3", "f4"]
    assert data.labels.tolist() == [0, 3, 1, 4, 3]  # 40 million is not below 40 million
    for reason in ("1 without budget", "1 without revenue", "1 with a revenue of doubtful unit", "1 without writers"):
        assert reason in data.description
    assert "3 of 5 films have awards; 1 have a director with no other film" in data.description


def test_films_are_joined_by_how_many_people_they_share(film_home):
    graph = load_imdb_movies(film_home).graph
    actor, director, writer = (layer.toarray() for layer in graph.layers)
    assert graph.layer_names == ("same actor", "same director", "same writer")
    assert (actor[0, 1], actor[0, 2], actor[1, 2]) == (1, 2, 1)
    assert (director[0, 2], director[2, 3], director[0, 3]) == (1, 1, 0)
    assert (writer[0, 1], writer[1, 2], writer[0, 2]) == (1, 1, 0)  # a writer named twice counts once
    assert not actor[4].any()


def test_features_are_box_office_awards_and_the_directors_other_films(film_home):
    revenue, awards, director = np.expm1(load_imdb_movies(film_home).graph.features).T
    np.testing.assert_allclose(revenue, [1e6, 3e6, 5e6, 80e6, 2e6])
    np.testing.assert_allclose(awards, [2, 32, 1, 0, 0], atol=1e-9)
    # Dee: f0, f1, f2; Flo: f2, f3. The third film's directors made f0, f1 and f3 besides. Hal made nothing else: the median.
    np.testing.assert_allclose(director, [4e6, 3e6, 28e6, 5e6, 4.5e6])


def test_oscars_alone_can_be_counted(film_home):
    awards = np.expm1(load_imdb_movies(film_home, awards="oscars").graph.features[:, 1])
    np.testing.assert_allclose(awards, [2, 0, 1, 0, 0], atol=1e-9)
    with pytest.raises(ValueError, match="awards must be one of 'all', 'oscars', got 'emmys'"):
        load_imdb_movies(film_home, awards="emmys")


def test_budgets_do_not_reach_the_features(film_home):
    before = load_imdb_movies(film_home)
    other = [(*row[:6], "$77000000" if row[6] != "-" else "-", row[7]) for row in FILMS]
    write_table(film_home / "imdb_movies" / "movies.csv", FILM_COLUMNS, other)
    after = load_imdb_movies(film_home)
    assert after.labels.tolist() == [3] * 5
    np.testing.assert_array_equal(before.graph.features, after.graph.features)
    assert all((a != b).nnz == 0 for a, b in zip(before.graph.layers, after.graph.layers, strict=True))


@pytest.mark.parametrize(
    ("text", "dollars"),
    [
        ("$1,234,567.00", 1234567.0),
        ("$7000.00", 7000.0),
        ("1000", 1000.0),
        ("45", 45e6),
        ("$1.00", 1e6),
        ("199.5", 199.5e6),
        ("$200", None),
        ("999.99", None),
        ("0", None),
        ("-", None),
        ("", None),
    ],
)
def test_amounts_are_read_in_dollars_or_millions(text, dollars):
    assert amount(text) == dollars


@pytest.mark.parametrize(
    "spellings",
    [
        ("The Matrix", "Matrix, The", "MATRIX"),
        ("Amélie", "Amelie"),
        ("Ocean's Eleven", "Oceans Eleven", "Ocean\u2019s  Eleven"),
        ("Lilo & Stitch", "Lilo and Stitch"),
        ("Dr. Strangelove: or", "Dr Strangelove or"),
    ],
)
def test_spellings_of_a_title_agree(spellings):
    assert len({title_key(title) for title in spellings}) == 1


def test_titles_that_are_articles_stay():
    assert title_key("A") == "a"
    assert title_key("The The") == "the"
    assert title_key("Them") != title_key("The M")


def test_products_of_incidence_agree_with_counting(rng):
    groups = [set(rng.choice(list("abcdefgh"), size=rng.integers(1, 5))) for _ in range(30)]
    revenue = rng.random(30)
    shared = in_common(incidence(groups)).toarray()
    mean = others_mean(incidence(groups), revenue)
    for i in range(30):
        assert all(shared[i, j] == (0 if i == j else len(groups[i] & groups[j])) for j in range(30))
        others = [revenue[j] for name in groups[i] for j in range(30) if j != i and name in groups[j]]
        np.testing.assert_allclose(mean[i], np.mean(others))


def test_a_film_with_nobody_elses_people_has_no_mean():
    assert np.isnan(others_mean(csr_array(np.eye(2)), np.ones(2))).all()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("movies.csv", "id,title\n1,x\n", r"movies\.csv is not a table of films, .*no column 'release_year'"),
        ("movies.csv", "", r"movies\.csv is empty \(0 bytes\)"),
        ("movies.csv", "\x00\x01", r"movies\.csv is not a table of films"),
        ("movies.csv", ",".join(FILM_COLUMNS) + "\n1,t,c,d,w,2000,lots,5\n", r"movies\.csv .*'lots'"),
        ("movies.csv", ",".join(FILM_COLUMNS) + "\n1,t,c,d,w,2000,-,-\n", r"movies\.csv .*no film is complete"),
        ("oscars.csv", "Year\tFilm\nsoon\tx\n", r"oscars\.csv is not a table of Oscar nominations"),
        ("omdb_awards.csv", "Title,Awards\nx,y\n", r"omdb_awards\.csv is not a table of OMDb's awards, .*'Year_x'"),
    ],
)
def test_a_damaged_table_of_films_is_named(film_home, name, content, message):
    (film_home / "imdb_movies" / name).write_text(content)
    with pytest.raises(ValueError, match=message):
        load_imdb_movies(film_home)


# Yelp


def review(business, stars, text="fine", cool=0, useful=0, funny=0):
    return (business, stars, text, cool, useful, funny)


def zipped(home, rows, name="yelp.csv", columns=("business_id", "stars", "text", "cool", "useful", "funny")):
    table = io.StringIO()
    csv.writer(table).writerows([columns, *rows])
    (home / "yelp").mkdir(exist_ok=True)
    with zipfile.ZipFile(home / "yelp" / "yelp.csv.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, table.getvalue())
    return home


def length(text):
    """A made-up sentiment: the longer the better."""
    return min(len(text) / 10, 1.0)


BUSINESSES = [
    review("low", 2, "ab"),
    review("edge", 3, "abcd", cool=3),
    review("single", 5),
    review("low", 2, "abcd", useful=1),
    review("edge", 2, "ab"),
    review("half", 4, "line\nbreak, comma"),
    review("half", 3, "x"),
    review("high", 5, "xx", funny=7),
    review("high", 5, "xx"),
    review("high", 4, "xx"),
]


def test_businesses_are_averages_of_their_reviews(tmp_path):
    data = load_yelp(zipped(tmp_path, BUSINESSES), sentiment=length, n_neighbors=2)
    assert data.graph.node_ids.tolist() == ["low", "edge", "half", "high"]
    assert data.labels.tolist() == [0, 1, 2, 2]  # 2.0; 2.5 rounds to 3; 3.5 rounds to 4; 4.67
    moods, votes = data.views
    np.testing.assert_allclose(moods.ravel(), [0.3, 0.3, 0.55, 0.2])
    logs = [[0, np.log(2) / 2, 0], [np.log(4) / 2, 0, 0], [0, 0, 0], [0, 0, np.log(8) / 3]]
    np.testing.assert_allclose(votes, logs)
    np.testing.assert_allclose(data.graph.features, np.column_stack([moods, np.mean(logs, axis=1)]))
    assert data.graph.layer_names == ("sentiment", "votes")
    assert "4 of 5 businesses" in data.description


def test_fewer_reviews_can_do(tmp_path):
    home = zipped(tmp_path, BUSINESSES)
    assert load_yelp(home, min_reviews=1, sentiment=length, n_neighbors=2).graph.n_nodes == 5
    with pytest.raises(ValueError, match="min_reviews=3 leaves 1 businesses, too few for n_neighbors=20"):
        load_yelp(home, min_reviews=3, sentiment=length)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_reviews": 0}, "min_reviews must be an integer >= 1, got 0"),
        ({"n_neighbors": 0}, "n_neighbors must be an integer >= 1, got 0"),
        ({"sentiment": "tea leaves"}, "sentiment must be one of 'vader', got 'tea leaves'"),
        ({"sentiment": len, "n_neighbors": 2}, r"sentiment must return numbers in \[-1, 1\], got 2 to 4"),
    ],
)
def test_bad_arguments_are_named(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        load_yelp(zipped(tmp_path, BUSINESSES), **arguments)


def test_a_table_too_large_to_unpack_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(yelp, "LARGEST", 1000)
    home = zipped(tmp_path, [review("b", 5, "x" * 2000)])
    with pytest.raises(ValueError, match=r"yelp\.csv would unpack to 2,\d+ bytes, more than 1,000: not unpacked"):
        load_yelp(home, sentiment=length)


def test_a_lie_about_the_size_does_not_help(tmp_path, monkeypatch):
    home = zipped(tmp_path, [review("b", 5, "x" * 100_000)])
    file = home / "yelp" / "yelp.csv.zip"
    with zipfile.ZipFile(file) as archive:
        true_size = archive.infolist()[0].file_size
    monkeypatch.setattr(yelp, "LARGEST", 1000)
    file.write_bytes(file.read_bytes().replace(true_size.to_bytes(4, "little"), (500).to_bytes(4, "little")))
    with pytest.raises(ValueError, match=r"yelp\.csv\.zip is not a zipped table of reviews, or is damaged"):
        load_yelp(home, sentiment=length)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([review("b", 6)], {}, r"review 1 must have a business, 1 to 5 stars and votes >= 0, but has .*'stars': '6'"),
        ([review("b", 5), review("", 5)], {}, "review 2 must have a business"),
        ([review("b", 5, cool=-1)], {}, "review 1 must have"),
        ([review("b", "many")], {}, "review 1 must have"),
        ([], {"name": "yelp.txt"}, "must hold one .csv file, and holds 0"),
        ([], {"columns": ("business_id", "stars")}, "no column 'text'"),
    ],
)
def test_damaged_reviews_are_named(tmp_path, rows, options, message):
    with pytest.raises(ValueError, match=rf"(?s)yelp\.csv\.zip is not a zipped table of reviews.*{message}"):
        load_yelp(zipped(tmp_path, rows, **options), sentiment=length)


def test_a_file_that_is_no_archive_is_named(tmp_path):
    (tmp_path / "yelp").mkdir()
    (tmp_path / "yelp" / "yelp.csv.zip").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(ValueError, match=r"yelp\.csv\.zip is not a zipped table of reviews"):
        load_yelp(tmp_path, sentiment=length)


def test_vader_tells_praise_from_blame():
    pytest.importorskip("vaderSentiment", reason="needs vaderSentiment: pip install 'orthonet[text]'")
    assert (
        yelp.vader("A wonderful place, I love it!")
        > 0.5
        > 0
        > -0.5
        > yelp.vader("Horrible, rude and dirty. I hate it.")
    )


@pytest.mark.parametrize("load", [load_imdb_movies, load_yelp])
def test_a_missing_file_is_asked_for(load, tmp_path, monkeypatch):
    monkeypatch.delenv("ORTHONET_DATA_HOME", raising=False)
    with pytest.raises(FileNotFoundError, match=r"not part of the package: get .*ORTHONET_DATA_HOME"):
        load()
    with pytest.raises(FileNotFoundError, match=r"there is no file .*: get .* and put it there"):
        load(tmp_path)


# The real tables


def test_the_real_films(data_home, real):
    home = real(data_home, *(f"imdb_movies/{name}.csv" for name in ("movies", "oscars", "omdb_awards")))
    data = load_imdb_movies(home)
    assert np.bincount(data.labels).tolist() == [9, 789, 1527, 946, 385]
    assert data.graph.features.shape == (3656, 3)
    assert (
        "1333 without budget; 490 without revenue; 10 without writers; 1 with a revenue of doubtful" in data.description
    )
    assert [layer.n_edges for layer in data.graph.summary().layers] == [69_812, 8137, 9296]
    assert data.views is None


def test_the_real_businesses(data_home, real):
    """With a made-up sentiment: the real one takes a quarter of a minute and is tested on its own."""
    data = load_yelp(real(data_home, "yelp/yelp.csv.zip"), sentiment=length)
    assert np.bincount(data.labels).tolist() == [125, 405, 1290]
    assert data.graph.features.shape == (1820, 2)
    assert [view.shape for view in data.views] == [(1820, 1), (1820, 3)]
