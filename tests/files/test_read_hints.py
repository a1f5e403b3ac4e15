"""What is no table, or is written otherwise than it must be: the error says what to do; and reports count in good English."""

import io
import os
import zipfile

import pytest

from orthonet.files import read_features, read_labels, read_network, read_views

HEAD = "source,target,layer,weight\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("read", [read_network, read_features, read_views, lambda path: read_labels(path, ["a"])])
def test_a_pipe_is_refused_at_once(tmp_path, read):
    os.mkfifo(tmp_path / "edges.csv")
    with pytest.raises(ValueError, match=r"edges\.csv is a pipe, not a file; write it to a file first$"):
        read(tmp_path / "edges.csv")
    with pytest.raises(ValueError, match=r"null is a device, not a file"):
        read(os.devnull)


def zipped(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "<xml/>")
    return buffer.getvalue()


@pytest.mark.parametrize("file", ["book.xlsx", "book.csv", "book.npz", "book"])
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["[Content_Types].xml", "xl/workbook.xml"], "is an Excel workbook; save it as CSV$"),
        (["[Content_Types].xml", "word/document.xml"], "is a document of an office program; save its table as CSV$"),
        (["mimetype", "content.xml"], "is a document of an office program; save its table as CSV$"),
    ],
)
def test_a_workbook_is_named_as_one(write, file, names, message):
    path = write(zipped(*names), file)
    for read in (read_network, read_features, read_views, lambda path: read_labels(path, ["a"])):
        with pytest.raises(ValueError, match=rf"{file} {message}"):
            read(path)


def test_unknown_nodes_are_counted_over_all_layers_and_files(write):
    nodes = write("id\na\nb\n", "nodes.csv")
    rows = "a,x,work,1\na,b,work,1\nb,y,lunch,1\ny,x,lunch,1\nz,a,lunch,0\n"
    files = [write(HEAD + rows, "one.csv"), write(HEAD + "a,x,mail,1\n", "two.csv")]
    with pytest.raises(
        ValueError, match=r"one\.csv, row 1: node 'x' is not in .*nodes\.csv \(4 rows name such nodes\)"
    ):
        read_network(files, features=nodes)
    dropped = read_network(files, features=nodes, unknown_nodes="drop").report.dropped
    assert dropped == {"unknown node": 4, "weight 0": 1}


@pytest.mark.parametrize(
    ("here", "there", "hint"),
    [
        ("00000", "0", r" \(ids are written differently: '00000' here, '0' there\)"),
        ("7.0", "007", r" \(ids are written differently: '7.0' here, '007' there\)"),
        ("7", "7.00", r" \(ids are written differently: '7' here, '7.00' there\)"),
        ("70", "7", ""),
        ("a0", "a", ""),
    ],
)
def test_ids_that_are_written_differently(write, here, there, hint):
    nodes = write(f"id\n{there}\n1\n", "nodes.csv")
    with pytest.raises(ValueError, match=rf"such a node\){hint}; pass unknown_nodes='drop'"):
        read_network(write(f"source,target\n1,{here}\n"), features=nodes)


@pytest.mark.usefixtures("reader")
def test_decimal_commas_are_no_text(write):
    edges = write("a,b\nb,c\n")
    table = write("name;age;team\na;3,5;red\nb;4;red\nc;-1,25;blue\n", "nodes.csv")
    message = r"nodes\.csv: column 'age' has decimal commas \('3,5'\); write decimal points"
    for read in (lambda: read_network(edges, features=table), lambda: read_features(table), lambda: read_views(table)):
        with pytest.raises(ValueError, match=message):
            read()
    network = read_network(edges, features=table, ignore=["age"])
    assert (network.features, network.attributes["age"].tolist()) == (None, ["3,5", "4", "-1,25"])
    few = write("name;age\na;3\nb;4\nc;1,25\n", "nodes.csv")
    with pytest.raises(ValueError, match=r"row 3: column 'age' must hold numbers, .* got '1,25'; write decimal points"):
        read_network(edges, features=few)
    words = write("name;note\na;see 3,5\nb;3,5\nc;later\n", "nodes.csv")
    assert read_network(edges, features=words).attributes["note"].tolist() == ["see 3,5", "3,5", "later"]


def test_reports_of_one_and_of_many(write):
    nodes = write("id\na\nb\n", "nodes.csv")
    one = read_network(write("a,b\nb,b\nx,a\n"), features=nodes, unknown_nodes="drop")
    assert str(one.report).splitlines() == [
        "2 nodes, 1 layer, 1 of 3 rows kept",
        "edges: 1 of 3 rows kept; 1 unknown node (dropped); 1 self-loop (dropped)",
    ]
    rows = "a,b,x,1\nb,b,x,1\na,a,x,1\nx,a,x,1\ny,a,x,1\na,b,y,0\na,b,y,0\na,b,y,1\n"
    many = read_network(write(HEAD + rows), features=nodes, unknown_nodes="drop")
    assert str(many.report).splitlines() == [
        "2 nodes, 2 layers, 2 of 8 rows kept",
        "x: 1 of 5 rows kept; 2 unknown nodes (dropped); 2 self-loops (dropped)",
        "y: 1 of 3 rows kept; 2 of weight 0 (dropped)",
    ]
