"""The check of licences, which is part of `make lint`, finds what it should find."""

from email.message import Message

import pytest

import licences

ROOT = {
    "Provides-Extra": ["files", "rivals"],
    "Requires-Dist": [
        "numpy",
        "polars>=1; extra == 'files'",
        "leidenalg; extra == 'rivals'",
        "absent; extra == 'files'",
    ],
    "License-Expression": ["BSD-3-Clause"],
}
GOOD = {
    "orthonet": ROOT,
    "numpy": {"License-Expression": ["BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0"]},
    "polars": {"Classifier": ["License :: OSI Approved :: MIT License"], "Requires-Dist": ["runtime"]},
    "runtime": {"License": ["Apache-2.0"]},
    "leidenalg": {"License-Expression": ["GPL-3.0-or-later"], "Requires-Dist": ["igraph"]},
    "igraph": {"License": ["GNU General Public License (GPL)"]},
}


def complaints(packages):
    def metadata_of(name):
        if name not in packages:
            return None
        about = Message()
        for key, values in packages[name].items():
            for value in values:
                about[key] = value
        return about

    return licences.complaints(metadata_of)


def test_free_licences_and_known_strict_ones_behind_their_extra():
    assert complaints(GOOD) == []


@pytest.mark.parametrize("stated", ["GPL-3.0-or-later", "AGPL-3.0", "MIT AND GPL-2.0-only", "Proprietary", ""])
def test_a_strict_licence_in_an_ordinary_installation(stated):
    found = complaints(GOOD | {"runtime": {"License-Expression": [stated]}})
    assert found == [f"runtime: {stated or 'no licence'}, but an ordinary installation brings it"]


def test_a_strict_package_that_an_ordinary_one_needs():
    found = complaints(GOOD | {"runtime": {"License": ["MIT"], "Requires-Dist": ["igraph"]}})
    assert found == ["igraph: GNU General Public License (GPL), but an ordinary installation brings it"]


def test_an_unknown_strict_package_behind_the_extra():
    root = ROOT | {"Requires-Dist": ["numpy", "other; extra == 'rivals'"]}
    found = complaints(GOOD | {"orthonet": root, "other": {"Classifier": ["License :: OSI Approved :: GPLv3"]}})
    assert found == ["other: GPLv3, which is not among those that are known"]


def test_what_is_installed_here():
    pytest.importorskip("packaging")
    assert licences.complaints(licences.installed) == []
