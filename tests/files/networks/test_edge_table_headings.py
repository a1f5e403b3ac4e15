"""Headings in any language: no edge is made of one, no layer or weight is lost, and the report says what was taken."""

import io

import pytest

from orthonet.files import read_network

ROWS = [("p0", "p1", "mail"), ("p1", "p2", "lunch"), ("p2", "p0", "mail"), ("p0", "p3", "lunch"), ("p3", "p1", "mail")]
TWO, THREE = ("".join(",".join(row[:width]) + "\n" for row in ROWS) for width in (2, 3))
FOUR = "".join(f"{','.join(row)},{weight}.5\n" for weight, row in enumerate(ROWS))
NAMES = ["Ann", "Bob", "Eve", "Kim", "Lea"]
CLIQUE = "".join(f"{one},{other}\n" for one in NAMES for other in NAMES if one < other)


def same(network, other):
    assert network.node_ids.tolist() == other.node_ids.tolist()
    assert list(network.layers) == list(other.layers)
    for name, edges in network.layers.items():
        for part in ("source", "target", "weight"):
            assert getattr(edges, part).tolist() == getattr(other.layers[name], part).tolist()


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("heading", "rows", "taken"),
    [
        ("Von,Nach", TWO, "'Von' as source, 'Nach' as target;"),
        ("Von,Nach,Beziehung", THREE, "'Von' as source, 'Nach' as target, 'Beziehung' as layer;"),
        ("Von,Nach,Art,Gewicht", FOUR, "'Von' as source, 'Nach' as target, 'Art' as layer, 'Gewicht' as weight;"),
        ("Knoten1,Knoten2", TWO.replace("p", "P"), "'Knoten1' as source, 'Knoten2' as target;"),
        ("Von,Nach", CLIQUE + "Ann,Mia\n", "'Von' as source, 'Nach' as target;"),
    ],
)
def test_a_heading_without_usual_names_is_found_and_reported(write, heading, rows, taken):
    network = read_network(write(f"{heading}\n{rows}"))
    usual = ",".join(["source", "target", "layer", "weight"][: heading.count(",") + 1])
    file = write(f"{usual}\n{rows}")
    same(network, read_network(file))
    assert f"edges.csv: took {taken} name others with" in str(network.report)
    assert "took" not in str(read_network(file).report)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("heading", ["Von,Nach", "Von,Nach,Beziehung", "Von,Nach,Art,Gewicht"])
def test_what_the_caller_says_ends_guessing(write, heading):
    rows = {2: TWO, 3: THREE, 4: FOUR}[heading.count(",") + 1]
    text = f"{heading}\n{rows}"
    asked = read_network(write(text), source="Von", target="Nach")
    assert len(asked.layers) == 1
    assert sum(edges.weight.sum() for edges in asked.layers.values()) == len(ROWS)
    assert "took" not in str(asked.report)
    if heading == "Von,Nach":
        assert read_network(write(text), heading=False).node_ids.tolist()[:2] == ["Von", "Nach"]
    turned = read_network(write(text), source="Nach", target="Von", directed=True)
    assert turned.node_ids.tolist()[:2] == ["p1", "p0"]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "rows",
    [
        THREE,
        TWO,
        CLIQUE,
        "n17,n18\n" + TWO.replace("p", "n"),  # a pair without other edges, written as all ids are
        "Mia,Tom\n" + CLIQUE.replace("Ann,Bob\n", "Ann,Bob\nIda,Jon\n"),  # one among several such pairs
        "ann,bob\neve,kim\nkim,lea\n",  # too few rows to tell
        "ann,bob\n"
        + "eve,kim\nkim,lea\n" * 200
        + "lea,ann\n",  # known further down than where a look at the start ends
    ],
)
def test_a_first_edge_is_not_lost(write, rows):
    network = read_network(write(rows))
    same(network, read_network(write(rows), heading=False))
    assert "took the first row as the heading" not in str(network.report)


def test_a_first_edge_that_may_be_a_heading_is_reported(write):
    told = "took the first row, 'ann' and 'bob', as an edge; heading=True makes it the heading"
    assert told in str(read_network(write("ann,bob\neve,kim\nkim,lea\n")).report)
    assert "took" not in str(read_network(write("ann,bob\nbob,kim\nkim,lea\n")).report)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
@pytest.mark.parametrize(
    ("heading", "rows"), [("a,b,c,d", FOUR), ("Von,Nach,Beziehung", THREE), ("source,target", TWO)]
)
def test_an_index_is_no_end_of_an_edge(write, name, heading, rows):
    counted = "".join(f"{row},{line}\n" for row, line in enumerate(rows.splitlines()))
    usual = ",".join(["source", "target", "layer", "weight"][: heading.count(",") + 1])
    same(read_network(write(f"{name},{heading}\n{counted}")), read_network(write(f"{usual}\n{rows}")))


@pytest.mark.parametrize("heading", ["Von,Nach,Beziehung,Gewicht", "__index_level_0__,Von,Nach,Beziehung,Gewicht"])
def test_parquet_with_other_names(write, tmp_path, heading):
    polars = pytest.importorskip("polars")
    rows = "".join(f"{row},{line}\n" for row, line in enumerate(FOUR.splitlines())) if "index" in heading else FOUR
    polars.read_csv(io.StringIO(f"{heading}\n{rows}")).write_parquet(tmp_path / "edges.parquet")
    network = read_network(tmp_path / "edges.parquet")
    same(network, read_network(write(FOUR)))
    assert "took 'Von' as source, 'Nach' as target, 'Beziehung' as layer, 'Gewicht' as weight" in str(network.report)


@pytest.mark.usefixtures("reader")
def test_a_column_of_remarks_is_no_layer(write):
    rows = "".join(f"{row},remark {number},{number % 3}\n" for number, row in enumerate(TWO.splitlines() * 5))
    network = read_network(write(f"Von,Nach,Text,Anzahl\n{rows}"))
    assert list(network.layers) == ["edges"]
    assert "'Nach' as target, 'Anzahl' as weight" in str(network.report)
    assert "columns not used: 'Text'" in str(network.report)


@pytest.mark.usefixtures("reader")
def test_a_table_of_nodes_taken_for_edges_is_reported(write):
    network = read_network(write("name,age,town\nann,31,Bonn\nbob,35,Ulm\neve,41,Ulm\n"))
    assert "took 'name' as source, 'age' as target, 'town' as layer" in str(network.report)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "text",
    [
        "Von;Nach;Beziehung;Gewicht\na;b;mail;3,5\nb;c;mail;1,5\n",
        "source;target;layer;weight\na;b;mail;3,5\n",
        "a;b;mail;3,5\nb;c;mail;1,5\n",
        'Von,Nach,Gewicht\na,b,"3,5"\nb,c,2\n',
    ],
)
def test_decimal_commas_in_weights(write, text):
    with pytest.raises(ValueError, match=r"row 1: a weight must be a number, got '3,5'; write decimal points$"):
        read_network(write(text))
