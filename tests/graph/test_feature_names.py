"""Names of features: given, or taken from a frame, and checked."""

import numpy as np
import pytest

from orthonet import MultilayerGraph


def test_features_can_be_named():
    graph = MultilayerGraph([np.ones((3, 3))], np.eye(3)[:, :2], feature_names=["height", "weight"])
    assert graph.feature_names == ("height", "weight")
    assert graph.subgraph([2, 0]).feature_names == ("height", "weight")


def test_given_names_of_features_come_before_those_of_a_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2, 3]})
    assert MultilayerGraph([np.ones((3, 3))], frame, feature_names=["b"]).feature_names == ("b",)


def test_a_frame_with_a_column_twice_has_no_feature_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.eye(3), columns=["a", "b", "a"])
    assert MultilayerGraph([np.ones((3, 3))], frame).subgraph([0, 1]).feature_names is None


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["a"], ValueError, "feature_names holds 1 names for 2 features"),
        (["a", "a"], ValueError, "feature_names must be unique, but 'a' occurs more than once"),
        (["a", 3], TypeError, r"feature_names\[1\] must be a str, got 3 of type int"),
        ("ab", TypeError, "feature_names must be a sequence of names, got the string 'ab'"),
    ],
)
def test_wrong_names_of_features(names, error, message):
    with pytest.raises(error, match=message):
        MultilayerGraph([np.ones((3, 3))], np.eye(3)[:, :2], feature_names=names)


def test_names_of_features_need_features():
    with pytest.raises(ValueError, match="feature_names needs features to name"):
        MultilayerGraph([np.ones((3, 3))], feature_names=["a"])
