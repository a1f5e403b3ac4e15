"""The real data sets, if they are here."""

import pytest


@pytest.fixture(scope="session")
def real():
    """Return the folder of the real data sets; skip the test if one of these files is not in it."""

    def real(data_home, *files):
        for file in files:
            if not (data_home / file).is_file():
                pytest.skip(f"needs the real data set {data_home / file}")
        return data_home

    return real
