"""A run's folder is the earlier run or the new one, wherever a run is killed, whatever else goes wrong while it writes."""

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from killing import killed
from orthonet import OrthoNet
from orthonet.cli.run_folder import OURS, reserved_output, write_run
from orthonet.files.tables import columns as columns_module
from orthonet.files.tables import writing as writing_module
from orthonet.support import files as files_module
from orthonet.support import folders
from orthonet.support.locks import locked_folder, reserved


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module")
def models(tmp_path_factory, clouds):
    folder = tmp_path_factory.mktemp("models")
    for clusters, name in ((3, "old"), (4, "new")):
        OrthoNet(clusters, random_state=0, training={"max_iter": 2}).fit(clouds.graph).save(folder / name)
    return folder


def old_run(output, models):
    output.mkdir()
    for name in ("labels.csv", "embedding.csv", "report.html"):
        (output / name).write_text("old")
    (output / "run.json").write_text('{"seed": "old"}')
    (output / "notes.txt").write_text("a stranger's")
    (output / "folder").mkdir()
    (output / "folder" / "more.txt").write_text("a stranger's")
    OrthoNet.load(models / "old").save(output / "model")


def what_is_in(output):
    """Return whether a folder is the old run, the new one or, as None, nothing; anything else fails."""
    if not output.exists():
        return None
    which = json.loads((output / "run.json").read_text())["seed"]
    assert (output / "labels.csv").read_text() == (output / "embedding.csv").read_text() == which
    assert (output / "report.html").exists() == (which == "old")
    assert OrthoNet.load(output / "model").n_clusters == {"old": 3, "new": 4}[which]
    return which


def run_with(output, model):
    """Write the new run in this process."""
    with reserved_output(output):
        write_run(
            output,
            {"labels.csv": b"new", "embedding.csv": b"new", "run.json": b'{"seed": "new"}'},
            model,
        )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("earlier", [True, False], ids=["over an earlier run", "into a new folder"])
@pytest.mark.parametrize("exchange", [True, False], ids=["exchanged", "in two renames"])
def test_killed_before_any_file_operation_a_folder_is_the_old_run_or_the_new_one(
    tmp_path, models, monkeypatch, earlier, exchange
):
    if not exchange:
        monkeypatch.setattr(folders, "_exchanged", lambda first, second: False)
    model, old, found = OrthoNet.load(models / "new"), tmp_path / "old", []
    old_run(old, models)
    for last in range(1, 200):
        output = tmp_path / str(last) / "out"
        output.parent.mkdir()
        if earlier:
            shutil.copytree(old, output)
        if not killed(lambda: run_with(output, model), last):  # noqa: B023 - done at once
            break
        if not exchange and earlier and not output.exists():  # between the two renames
            assert names_in(output.parent) == [".out.lock", ".out.old", ".out.part"]
            found.append("old")
        else:
            found.append(what_is_in(output))
        with reserved(output):
            folders.replace_folder(output, lambda folder: (folder / "run.json").write_text("{}"), OURS)
        assert names_in(output.parent) == ["out"]  # nothing is left of the killed run
        if earlier:
            assert (output / "notes.txt").read_text() == (output / "folder" / "more.txt").read_text() == "a stranger's"
    assert len(found) > 20
    assert set(found) == ({"old", "new"} if earlier else {None, "new"})
    assert found == sorted(found, key=lambda one: one == "new")  # one step decides


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_killed_before_any_file_operation_of_a_save_the_old_model_or_the_new_one_is_loaded(tmp_path, models):
    model, found = OrthoNet.load(models / "new"), []
    for last in range(1, 100):
        folder = tmp_path / str(last)
        shutil.copytree(models / "old", folder)
        if not killed(lambda: model.save(folder), last):  # noqa: B023 - done at once
            break
        found.append(OrthoNet.load(folder).n_clusters)
        model.save(folder)
        assert len(names_in(folder)) == 2
    assert found == sorted(found)
    assert set(found) == {3, 4}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_killed_before_any_file_operation_of_convert_no_network_stands_beside_the_table_of_another(
    tmp_path, orthonet, monkeypatch
):
    for module in (columns_module, writing_module):  # the threads of polars do not fork
        monkeypatch.setattr(module, "is_installed", lambda module: False)
    for name in ("old", "new"):
        (tmp_path / f"{name}.csv").write_text(f"source,target\n{name} a,{name} b\n")
        (tmp_path / f"{name}.nodes.csv").write_text(f"id,x\n{name} b,1\n{name} a,2\n")
    found = []
    for last in range(1, 100):
        folder = tmp_path / str(last)
        folder.mkdir()
        made = {}
        for name in ("old", "new"):
            files = [
                tmp_path / f"{name}.csv",
                folder / "net.tsv",
                "--features",
                tmp_path / f"{name}.nodes.csv",
                "--force",
            ]
            made[name] = lambda files=files: orthonet("convert", *files)
        assert made["old"]().exit_code == 0
        if not killed(made["new"], last):
            break
        text = (folder / "net.tsv").read_text() if (folder / "net.tsv").exists() else ""
        found.append("old" if "old a" in text else "new" if "new a" in text else "nothing")
        assert not text or found[-1] in (folder / "net.nodes.tsv").read_text()
        assert made["new"]().exit_code == 0
        assert names_in(folder) == ["net.nodes.tsv", "net.tsv"]
    assert [name for place, name in enumerate(found) if name not in found[:place]] == ["old", "nothing", "new"]


def test_a_run_replaces_an_earlier_one_and_keeps_what_others_put_there(tmp_path, models):
    old_run(tmp_path / "out", models)
    run_with(tmp_path / "out", OrthoNet.load(models / "new"))
    assert what_is_in(tmp_path / "out") == "new"
    assert (tmp_path / "out" / "notes.txt").exists()
    assert names_in(tmp_path) == ["out"]


def test_also_where_folders_cannot_be_exchanged(tmp_path, models, monkeypatch):
    monkeypatch.setattr(folders, "_exchanged", lambda first, second: False)
    old_run(tmp_path / "out", models)
    run_with(tmp_path / "out", OrthoNet.load(models / "new"))
    assert what_is_in(tmp_path / "out") == "new"
    (tmp_path / "out").rename(tmp_path / ".out.old")  # killed between the two renames of such a file system
    run_with(tmp_path / "out", OrthoNet.load(models / "new"))
    assert what_is_in(tmp_path / "out") == "new"
    assert names_in(tmp_path) == ["out"]


def test_a_link_to_a_folder_stays_a_link(tmp_path, models):
    old_run(tmp_path / "real", models)
    (tmp_path / "out").symlink_to("real")
    run_with(tmp_path / "out", OrthoNet.load(models / "new"))
    assert (tmp_path / "out").is_symlink()
    assert what_is_in(tmp_path / "real") == "new"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
def test_a_disk_that_fails_at_any_write_is_a_sentence_and_leaves_the_old_run(tmp_path, models, monkeypatch, number):
    old_run(tmp_path / "out", models)
    writes = 0

    def failing(descriptor):
        nonlocal writes
        writes += 1
        if writes == fails_at:
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files_module.os, "fsync", failing)
    for fails_at in range(1, 6):  # noqa: B007 - read in failing
        writes = 0
        with pytest.raises(OSError, match=r"out cannot be written: .*; the earlier run in .*out was kept$") as caught:
            run_with(tmp_path / "out", OrthoNet.load(models / "new"))
        assert os.strerror(number) in str(caught.value)
        assert "\n" not in str(caught.value)
        assert what_is_in(tmp_path / "out") == "old"
        assert names_in(tmp_path) == ["out"]
    writes, fails_at = 0, 6
    run_with(tmp_path / "out", OrthoNet.load(models / "new"))
    assert what_is_in(tmp_path / "out") == "new"


def test_two_runs_into_one_folder_the_second_is_refused(orthonet, network):
    with reserved(network / "out"):
        done = orthonet("cluster", network / "edges.csv", "-k", 3, "-o", network / "out", "--no-report", "--steps", 2)
    assert done.exit_code == 2
    assert "out is being written by another process; wait for it, or name another output" in done.stderr
    assert not (network / "out").exists()


def test_a_lock_that_a_killed_run_left_locks_nothing(orthonet, network):
    (network / ".out.lock").write_text("")
    (network / ".out.part").mkdir()
    (network / ".out.part" / "labels.csv").write_text("half")
    done = orthonet("cluster", network / "edges.csv", "-k", 3, "-o", network / "out", "--no-report", "--steps", 2)
    assert done.exit_code == 0, done.stderr
    assert not [name for name in names_in(network) if name.startswith(".")]


def test_folders_above_the_output_are_removed_if_the_run_fails(orthonet, network):
    done = orthonet("cluster", network / "nothing.csv", "-k", 3, "-o", network / "a" / "b" / "out")
    assert done.exit_code == 2
    assert not (network / "a").exists()


def test_a_model_that_another_process_is_saving_is_refused(tmp_path, models):
    OrthoNet.load(models / "old").save(tmp_path / "model")
    with locked_folder(tmp_path / "model"), pytest.raises(OSError, match="model is being written by another process"):
        OrthoNet.load(models / "new").save(tmp_path / "model")
    assert OrthoNet.load(tmp_path / "model").n_clusters == 3


def test_files_of_killed_writers_are_removed_and_those_of_living_ones_stay(tmp_path):
    (tmp_path / ".x.csv.dead.part").write_text("half")
    descriptor, living = files_module._new_part(tmp_path / "x.csv")
    files_module.write_atomically(tmp_path / "x.csv", b"whole")
    assert living.exists()
    assert not (tmp_path / ".x.csv.dead.part").exists()
    os.close(descriptor)
    files_module.write_atomically(tmp_path / "x.csv", b"whole")
    assert names_in(tmp_path) == ["x.csv"]


TERMINATED = """
import sys, time
from pathlib import Path
from orthonet.cli.run_folder import reserved_output, write_run

class Slow:
    def save(self, folder):
        print("writing", flush=True)
        time.sleep(60)

with reserved_output(Path(sys.argv[1])):
    write_run(Path(sys.argv[1]), {"run.json": b"{}"}, Slow())
"""


def test_a_run_that_is_asked_to_end_while_it_writes_leaves_the_old_run_and_nothing_else(tmp_path, models):
    old_run(tmp_path / "out", models)
    with subprocess.Popen([sys.executable, "-c", TERMINATED, str(tmp_path / "out")], stdout=subprocess.PIPE) as run:
        run.stdout.readline()
        time.sleep(0.2)
        run.terminate()
        assert run.wait(20) == 143
    assert what_is_in(tmp_path / "out") == "old"
    assert names_in(tmp_path) == ["out"]


AS_SOMEBODY = """
import os, sys
import orthonet.cli.app, orthonet.cli.cluster, typer.rich_utils
from orthonet.cli import main
os.setgid(65534), os.setuid(65534)
sys.argv = ["orthonet", *sys.argv[1:]]
main()
"""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("earlier", [True, False])
def test_a_folder_that_one_may_not_write_to_is_a_sentence(network, models, earlier):
    for folder in [network, *network.parents]:
        if folder == Path(folder.anchor) or folder.stat().st_mode & 0o5 == 0o5:
            continue
        folder.chmod(folder.stat().st_mode | 0o55)
    network.chmod(0o755)
    if earlier:
        old_run(network / "out", models)
        (network / "out").chmod(0o777)
    command = ["cluster", str(network / "edges.csv"), "-k", "3", "-o", str(network / "out"), "--steps", "2"]
    done = subprocess.run([sys.executable, "-c", AS_SOMEBODY, *command], capture_output=True, text=True)
    assert done.returncode == 2
    assert "not writable" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not earlier or what_is_in(network / "out") == "old"


def test_a_disk_that_is_full_says_so_to_the_user(orthonet, network, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    command = ["cluster", network / "edges.csv", "-k", 3, "-o", network / "out", "--no-report", "--steps", 2]
    assert orthonet(*command).exit_code == 0
    before = (network / "out" / "labels.csv").read_bytes()
    monkeypatch.setattr(files_module.os, "fsync", full)
    done = orthonet(*command)
    assert done.exit_code == 2
    assert f"{network / 'out'} cannot be written: No space left on device; the earlier run in" in done.stderr
    assert (network / "out" / "labels.csv").read_bytes() == before
    done = orthonet("convert", network / "edges.csv", network / "net.mpx")
    assert done.exit_code == 2
    assert "net.mpx cannot be written: No space left on device" in done.stderr
    assert not [name for name in names_in(network) if ".part" in name or ".lock" in name or name == "net.mpx"]
