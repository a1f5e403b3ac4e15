"""Numbers in order of first appearance, against a dictionary that is filled row by row."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orthonet.files.tables import numbering
from orthonet.files.tables.numbering import number_hashes, number_integers


def by_dictionary(columns, present):
    place, first = {}, []
    codes = np.full((len(columns[0]), len(columns)), -1)
    for row in range(len(columns[0])):
        for index, (column, mask) in enumerate(zip(columns, present, strict=True)):
            if mask[row]:
                if int(column[row]) not in place:
                    first.append(row * len(columns) + index)
                codes[row, index] = place.setdefault(int(column[row]), len(place))
    return [column.tolist() for column in codes.T], first


def assert_numbered(number, columns, present):
    found = number(columns, present)
    assert ([one.tolist() for one in found.codes], found.first.tolist()) == by_dictionary(columns, present)


ENTRY = st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(ENTRY, ENTRY, st.booleans(), st.booleans()), max_size=30), st.sampled_from([1, 3, 2**14]))
def test_any_integers_are_numbered_as_they_appear(monkeypatch, rows, rows_at_once):
    monkeypatch.setattr(numbering, "ROWS_AT_ONCE", rows_at_once)
    values = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
    masks = np.array([row[2:] for row in rows], dtype=bool).reshape(-1, 2)
    columns, present = list(values.T.copy()), list(masks.T.copy())
    assert_numbered(number_integers, columns, present)
    assert_numbered(number_integers, columns[:1], present[:1])
    assert_numbered(number_hashes, [column.view(np.uint64) for column in columns], present)


@pytest.mark.parametrize("number", [number_integers, number_hashes])
@pytest.mark.parametrize("n_different", [40, 30_000])
def test_long_columns_are_numbered_as_they_appear(number, n_different, rng):
    dtype = np.int64 if number is number_integers else np.uint64
    names = rng.integers(0, 2**62, n_different).astype(dtype)
    columns = [names[rng.integers(0, n_different, 40_000)] for _ in range(2)]
    present = [np.ones(40_000, dtype=bool), rng.random(40_000) < 0.9]
    assert_numbered(number, columns, present)


def test_keys_that_want_the_same_slot_are_kept_apart(rng):
    back = pow(int(numbering.SPREAD), -1, 2**64)
    keys = np.array([value * back % 2**64 for value in (*range(300), *range(2**64 - 300, 2**64))], dtype=np.uint64)
    column = keys[rng.integers(0, len(keys), 5000)]
    assert_numbered(number_hashes, [column], [np.ones(5000, dtype=bool)])
