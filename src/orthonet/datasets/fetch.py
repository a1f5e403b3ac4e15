"""Fetch a data file from its public home, once: with a checksum, a progress bar, and nothing left behind if it fails."""

from __future__ import annotations

import math
import os
import re
from contextlib import ExitStack
from dataclasses import dataclass
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

from orthonet.support.optional import is_installed, require
from orthonet.support.progress import Report, progress

DATA_HOME_VARIABLE = "ORTHONET_DATA_HOME"
PIECE_BYTES = 2**14
TIMEOUT_SECONDS = 30.0
"""How long a server may be silent."""


@dataclass(frozen=True)
class RemoteFile:
    """A file with a public home.

    Attributes
    ----------
    url : str
    sha256 : str
        Its checksum, 64 hexadecimal digits.
    path : str
        Its place below the data home, with forward slashes.
    """

    url: str
    sha256: str
    path: str

    def __post_init__(self) -> None:
        if not re.match(r"https?://", self.url):
            raise ValueError(f"url must begin with http:// or https://, got {self.url!r}")
        if not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ValueError(f"sha256 must be 64 hexadecimal digits in lower case, got {self.sha256!r}")
        place = PurePosixPath(self.path)
        if not place.name or place.is_absolute() or ".." in place.parts:
            raise ValueError(f"path must be relative to the data home and stay in it, got {self.path!r}")


def given_home(data_home: str | PathLike[str] | None) -> Path | None:
    """Return the folder that ``data_home`` or else ORTHONET_DATA_HOME names, or None if neither does."""
    home = data_home if data_home is not None else os.environ.get(DATA_HOME_VARIABLE) or None
    return None if home is None else Path(home).expanduser()


def cache_folder() -> Path | None:
    """Return the user's cache folder for fetched files, or None if nothing can be fetched (`pooch` is not installed)."""
    if not is_installed("pooch"):
        return None
    folder = require("pooch", extra="data", purpose="fetching data").os_cache("orthonet")
    return Path(folder).expanduser()


def fetch(remote: RemoteFile, data_home: str | PathLike[str] | None = None) -> Path:
    """Return the path of a file, fetched from its public home if it is not there already with the right checksum.

    Parameters
    ----------
    remote : RemoteFile
    data_home : path, optional
        The folder to keep it in; ORTHONET_DATA_HOME by default, or the user's cache folder if that is not set.

    Raises
    ------
    ConnectionError
        No server, a server that says no, or a connection cut in the middle.
    ValueError
        Another file came than the one that was wanted.
    OSError
        The file cannot be written.

    In each case what was there before is still there, and nothing else.
    """
    try:
        pooch = require("pooch", extra="data", purpose=f"fetching {remote.url}")
        requests = require("requests", extra="data", purpose=f"fetching {remote.url}")
    except ImportError as error:
        by_hand = f"get the file by hand and put it at {remote.path} in a folder named with data_home= or {DATA_HOME_VARIABLE}"
        raise ImportError(f"{error}; or {by_hand}") from error
    home = given_home(data_home) or Path(pooch.os_cache("orthonet")).expanduser()
    place = home / remote.path
    by_hand = f"get it by hand and put it at {place}"

    def download(url: str, file: str, _: Any) -> None:
        with _Bar(place.name) as bar:
            pooch.HTTPDownloader(progressbar=bar, chunk_size=PIECE_BYTES, timeout=TIMEOUT_SECONDS)(url, file, None)
        came = pooch.file_hash(file, alg="sha256")
        if came != remote.sha256:
            raise ValueError(
                f"{url} gave another file than expected: {Path(file).stat().st_size:,} bytes with sha256 {came}, wanted "
                f"sha256 {remote.sha256}; it was not kept: try again, or {by_hand}"
            )
        Path(file).chmod(_readable_as_others(home))

    try:
        pooch.retrieve(remote.url, f"sha256:{remote.sha256}", place.name, place.parent, downloader=download)
    except requests.HTTPError as error:
        answer = f"{error.response.status_code} {error.response.reason}"
        raise ConnectionError(f"{remote.url} answered {answer}, wanted the file {place.name}; {by_hand}") from error
    except requests.RequestException as error:
        raise ConnectionError(
            f"{remote.url} could not be fetched, {_what_happened(error, requests)}; try again, or {by_hand}"
        ) from error
    except OSError as error:
        sentence = (
            f"{remote.url} could not be written to {place} ({error.strerror or error}); make room there, or name another "
            f"folder with data_home= or {DATA_HOME_VARIABLE}, or {by_hand}"
        )
        raise (type(error)(sentence) if error.errno is None else OSError(error.errno, sentence)) from error
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"fetching {remote.url} was interrupted; nothing was kept; call again, or {by_hand}"
        ) from None
    return place


def _what_happened(error: Any, requests: Any) -> str:
    """Say in words what became of a connection; the error itself has the details."""
    if isinstance(error, requests.Timeout):
        return f"the server was silent for {TIMEOUT_SECONDS:g} seconds"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return f"the connection was cut before the whole file had come ({error})"
    if isinstance(error, requests.ConnectionError):
        return f"no server was reached or it broke off ({error})"
    return f"the request failed ({error})"


def _readable_as_others(folder: Path) -> int:
    """Return the permissions of a data file in a folder: a temporary file is its owner's alone, a shared one need not be."""
    return 0o600 | (folder.stat().st_mode & 0o044)


class _Bar:
    """What pooch asks of a progress bar, shown by ours; the length is known only once the server has answered."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stack = ExitStack()
        self._report: Report | None = None
        self._bytes = 0

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *raised: Any) -> None:
        self._stack.close()

    @property
    def total(self) -> int:
        return self._total

    @total.setter
    def total(self, n_bytes: int) -> None:
        self._total = n_bytes
        self._report = self._stack.enter_context(progress(f"fetching {self._name}, kB", math.ceil(n_bytes / 1000)))

    def update(self, n_bytes: int) -> None:
        self._bytes += n_bytes
        if self._report is not None:
            self._report(math.ceil(self._bytes / 1000), "")

    def reset(self) -> None:
        self._bytes = 0

    def close(self) -> None:
        self._stack.close()
