"""Fetching a file from a real server on loopback: whole, wrong, cut off, missing, silent, interrupted, no room."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from orthonet.datasets.dataset import data_file
from orthonet.datasets.fetch import RemoteFile, fetch

pytest.importorskip("pooch", reason="fetching needs pooch: pip install 'orthonet[data]'")

CONTENT = bytes(range(256)) * 1024
SHA256 = hashlib.sha256(CONTENT).hexdigest()
PLACE = "some/set.mat"


class Home(BaseHTTPRequestHandler):
    """The public home of a file, in all the states a public home can be in."""

    def do_GET(self):
        self.server.visits.append(self.path)
        if self.path == "/missing":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        if self.path == "/whole":
            self.wfile.write(CONTENT)
        elif self.path == "/other":
            self.wfile.write(CONTENT[::-1])
        elif self.path == "/cut":
            self.wfile.write(CONTENT[:70_000])
        elif self.path == "/stuck":
            self.wfile.write(CONTENT[:70_000])
            self.wfile.flush()
            self.server.half_sent.set()
            self.server.closing.wait(30)
        elif self.path == "/slow":
            for start in range(0, len(CONTENT), 2**15):
                self.wfile.write(CONTENT[start : start + 2**15])
                self.wfile.flush()
                time.sleep(0.4)
        self.close_connection = True

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Home) as running:
        running.visits, running.half_sent, running.closing = [], threading.Event(), threading.Event()
        running.url = f"http://127.0.0.1:{running.server_address[1]}"
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.closing.set()
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_proxy_no_home_and_an_empty_cache(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("ORTHONET_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def run_fetch(url, home, before="pass", **options):
    """Fetch in a process of its own."""
    code = (
        "import sys, pooch, requests\n"
        "from orthonet.datasets.fetch import RemoteFile, fetch\n"
        f"{before}\n"
        f"print(fetch(RemoteFile({url!r}, {SHA256!r}, {PLACE!r}), {str(home)!r}))\n"
    )
    return subprocess.Popen([sys.executable, "-c", code], text=True, **options)


def test_a_file_is_fetched_once_and_whole(server, home):
    remote = RemoteFile(f"{server.url}/whole", SHA256, PLACE)
    path = fetch(remote, home)
    assert path == home / PLACE
    assert path.read_bytes() == CONTENT
    assert fetch(remote, str(home)) == path
    assert server.visits == ["/whole"]
    assert files_below(home) == [PLACE]


def test_it_goes_where_the_variable_says_or_to_the_cache(server, home, tmp_path, monkeypatch):
    remote = RemoteFile(f"{server.url}/whole", SHA256, PLACE)
    cached = fetch(remote)
    assert cached.is_relative_to(tmp_path)
    assert "orthonet" in cached.parts
    monkeypatch.setenv("ORTHONET_DATA_HOME", str(home))
    assert fetch(remote) == home / PLACE


def test_a_file_that_others_may_read_in_their_folder_is_theirs_to_read(server, home):
    home.mkdir(mode=0o755)
    assert fetch(RemoteFile(f"{server.url}/whole", SHA256, PLACE), home).stat().st_mode & 0o777 == 0o644


def test_a_file_with_a_wrong_checksum_is_replaced_by_the_right_one(server, home):
    (home / "some").mkdir(parents=True)
    (home / PLACE).write_bytes(b"half a file")
    assert fetch(RemoteFile(f"{server.url}/whole", SHA256, PLACE), home).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("page", "error", "words"),
    [
        (
            "other",
            ValueError,
            r"/other gave another file than expected: 262,144 bytes with sha256 \w{64}, wanted sha256 \w{64}",
        ),
        ("cut", ConnectionError, r"/cut could not be fetched, the connection was cut before the whole file had come"),
        ("missing", ConnectionError, r"/missing answered 404 Not Found, wanted the file set\.mat"),
    ],
)
@pytest.mark.parametrize("before", [None, b"what was there before"])
def test_what_fails_is_said_and_leaves_no_trace(server, home, page, error, words, before):
    if before is not None:
        (home / "some").mkdir(parents=True)
        (home / PLACE).write_bytes(before)
    with pytest.raises(error, match=words + r".*by hand and put it at .*some/set\.mat"):
        fetch(RemoteFile(f"{server.url}/{page}", SHA256, PLACE), home)
    assert files_below(home) == ([] if before is None else [PLACE])
    assert before is None or (home / PLACE).read_bytes() == before


def test_no_server(server, home):
    with ThreadingHTTPServer(("127.0.0.1", 0), Home) as closed:
        url = f"http://127.0.0.1:{closed.server_address[1]}/whole"
    with pytest.raises(
        ConnectionError, match=r"no server was reached or it broke off .*; try again, or get it by hand"
    ):
        fetch(RemoteFile(url, SHA256, PLACE), home)
    assert files_below(home) == []


def test_a_server_that_falls_silent(server, home, monkeypatch):
    monkeypatch.setattr("orthonet.datasets.fetch.TIMEOUT_SECONDS", 0.5)
    with pytest.raises(ConnectionError, match=r"/stuck could not be fetched, .*by hand"):
        fetch(RemoteFile(f"{server.url}/stuck", SHA256, PLACE), home)
    assert files_below(home) == []


@pytest.mark.parametrize("before", [None, b"what was there before"])
def test_no_room_on_the_disk(server, home, before):
    home.mkdir()
    if before is not None:
        (home / "some").mkdir()
        (home / PLACE).write_bytes(before)
    # No file may grow beyond 100 kB: the write itself fails, as on a full disk.
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))"
    with run_fetch(f"{server.url}/whole", home, limit, stderr=subprocess.PIPE) as process:
        _, told = process.communicate(timeout=60)
    assert process.returncode == 1
    last = told.splitlines()[-1]
    assert last.startswith("OSError: [Errno 27]")
    assert f"{server.url}/whole could not be written to {home / PLACE} (File too large); make room there" in last
    assert files_below(home) == ([] if before is None else [PLACE])
    assert before is None or (home / PLACE).read_bytes() == before


def test_a_folder_that_cannot_be_made(server, home):
    home.write_text("a file where a folder should be")
    with pytest.raises(OSError, match=r"could not be written to .*set\.mat .*name another folder with data_home="):
        fetch(RemoteFile(f"{server.url}/whole", SHA256, PLACE), home)
    assert home.read_text() == "a file where a folder should be"


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_in_the_middle(server, home):
    home.mkdir()
    with run_fetch(f"{server.url}/stuck", home, stderr=subprocess.PIPE) as process:
        assert server.half_sent.wait(60)
        while not files_below(home):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert f"KeyboardInterrupt: fetching {server.url}/stuck was interrupted; nothing was kept" in told.splitlines()[-1]
    assert files_below(home) == []


def test_a_slow_fetch_shows_a_bar_on_a_terminal_only(server, home):
    pty = pytest.importorskip("pty", reason="needs a terminal of its own")
    pytest.importorskip("rich", reason="the bar needs rich: pip install 'orthonet[progress]'")
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "120"}
    with run_fetch(f"{server.url}/slow", home, stderr=theirs, stdout=subprocess.PIPE, env=environment) as process:
        os.close(theirs)
        drawn = b""
        try:
            while piece := os.read(ours, 4096):
                drawn += piece
        except OSError:  # the other end was closed
            pass
        assert process.wait(60) == 0
    os.close(ours)
    assert b"fetching set.mat, kB" in drawn
    assert b"/263" in drawn
    with run_fetch(f"{server.url}/slow", home / "again", stderr=subprocess.PIPE) as process:
        _, told = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "fetching set.mat" not in told


def test_without_pooch_the_error_says_what_to_install_and_where_to_put_the_file(monkeypatch, home):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(
        ImportError, match=r"pip install 'orthonet\[data\]'; or get the file by hand and put it at some/set\.mat"
    ):
        fetch(RemoteFile("http://127.0.0.1/whole", SHA256, PLACE), home)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ftp://host/file", SHA256, PLACE), "url must begin with http:// or https://, got 'ftp://host/file'"),
        (("http://host/file", "abc", PLACE), "sha256 must be 64 hexadecimal digits in lower case, got 'abc'"),
        (
            ("http://host/file", SHA256, "../set.mat"),
            r"path must be relative to the data home and stay in it, got '\.\./set",
        ),
        (("http://host/file", SHA256, "/set.mat"), "path must be relative"),
        (("http://host/file", SHA256, ""), "path must be relative"),
    ],
)
def test_a_remote_file_is_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        RemoteFile(*arguments)


def test_a_data_file_that_is_nowhere_is_not_fetched_unasked(server, home):
    remote = RemoteFile(f"{server.url}/whole", SHA256, PLACE)
    with pytest.raises(
        FileNotFoundError, match=rf"there is no file .*set\.mat: get it .*download=True .*{server.url}/whole"
    ):
        data_file(PLACE, home, "it", remote, download=False)
    with pytest.raises(FileNotFoundError, match=r"not part of the package: get it, put it at some/set\.mat"):
        data_file(PLACE, None, "it")
    assert server.visits == []


def test_a_data_file_is_fetched_once_and_then_found_in_the_cache(server, home):
    cached = data_file(PLACE, None, "it", RemoteFile(f"{server.url}/whole", SHA256, PLACE))
    assert data_file(PLACE, None, "it") == cached
    assert data_file(PLACE, home, "it") == cached
    assert server.visits == ["/whole"]


def test_a_data_file_at_home_comes_before_the_cache_and_is_left_as_it_is(server, home):
    remote = RemoteFile(f"{server.url}/whole", SHA256, PLACE)
    data_file(PLACE, None, "it", remote)
    (home / "some").mkdir(parents=True)
    (home / PLACE).write_bytes(b"my own version of it")
    assert data_file(PLACE, home, "it", remote) == home / PLACE
    assert (home / PLACE).read_bytes() == b"my own version of it"
    assert server.visits == ["/whole"]
