"""A model's folder from somebody else: only regular files inside it are read, and what they say is checked at once."""

import hashlib
import json
import os
import signal

import numpy as np
import pytest
import safetensors.numpy

from orthonet import OrthoNet


@pytest.fixture(scope="module")
def fitted(request):
    clouds = request.getfixturevalue("clouds")
    return OrthoNet(3, random_state=0, training={"max_iter": 3}).fit(clouds.graph)


@pytest.fixture
def saved(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture(autouse=True)
def no_hang():
    """A test that waits for a pipe ends the tests instead of hanging them."""
    signal.alarm(60)
    yield
    signal.alarm(0)


def tensors(folder):
    return next(folder.glob("tensors-*"))


@pytest.mark.parametrize("name", ["tensors", "model.json"])
def test_a_pipe_or_a_device_in_a_model_is_refused_at_once(saved, name):
    file = tensors(saved) if name == "tensors" else saved / name
    file.unlink()
    os.mkfifo(file)
    with pytest.raises((ValueError, FileNotFoundError), match="model"):
        OrthoNet.load(saved)
    file.unlink()
    file.symlink_to("/dev/zero")
    with pytest.raises((ValueError, FileNotFoundError), match="model"):
        OrthoNet.load(saved)


@pytest.mark.parametrize("name", ["tensors", "model.json"])
def test_a_link_that_leads_out_of_the_folder_is_refused(saved, name):
    file = tensors(saved) if name == "tensors" else saved / name
    file.rename(saved.parent / "elsewhere")
    file.symlink_to(saved.parent / "elsewhere")
    with pytest.raises(ValueError, match="cannot be read"):
        OrthoNet.load(saved)
    file.unlink()
    (saved.parent / "elsewhere").rename(saved / "inside")
    file.symlink_to("inside")
    assert OrthoNet.load(saved).n_clusters == 3


def test_a_tensor_file_longer_than_its_header_promises_is_not_read(saved):
    with tensors(saved).open("r+b") as file:
        file.truncate(2**40)  # a file with a hole, which takes no space
    with pytest.raises(
        ValueError, match=r"tensors-\w+\.safetensors has 1,099,511,627,776 bytes, but its header promises"
    ):
        OrthoNet.load(saved)


def changed(saved, **arrays):
    file = tensors(saved)
    content = safetensors.numpy.save({**safetensors.numpy.load_file(file), **arrays})
    file.write_bytes(content)
    index = json.loads((saved / "model.json").read_text())
    index["tensors"]["sha256"] = hashlib.sha256(content).hexdigest()
    (saved / "model.json").write_text(json.dumps(index))


@pytest.mark.parametrize(
    "arrays",
    [
        {"history.loss": np.array(1.0)},
        {"history.turn": np.array(1.0)},
        {"history.loss": np.ones((3, 2))},
        {"history.loss": np.array(1.0), "history.turn": np.array(1.0)},
    ],
)
def test_a_history_that_is_not_a_number_per_step_is_refused(saved, arrays):
    changed(saved, **arrays)
    with pytest.raises(ValueError, match="the history of training is"):
        OrthoNet.load(saved)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("smoothing", []),
        ("smoothing", "x"),
        ("epsilon", []),
        ("epsilon", "1"),
        ("layer_weights", {}),
        ("random_state", []),
    ],
)
def test_parameters_of_a_wrong_kind_are_refused_when_a_model_is_loaded(saved, name, value):
    index = json.loads((saved / "model.json").read_text())
    assert name in index["parameters"]
    index["parameters"][name] = value
    (saved / "model.json").write_text(json.dumps(index))
    with pytest.raises(ValueError, match=f"model.*{name}"):
        OrthoNet.load(saved)


def test_what_is_said_of_a_model_is_one_line_without_control_characters(saved):
    index = json.loads((saved / "model.json").read_text())
    arrays = safetensors.numpy.load_file(tensors(saved))
    arrays.pop(next(name for name in arrays if name.endswith(".bias")))
    content = safetensors.numpy.save(arrays)
    tensors(saved).write_bytes(content)
    changed = index | {"tensors": index["tensors"] | {"sha256": hashlib.sha256(content).hexdigest()}}
    named = index | {"tensors": index["tensors"] | {"file": "tensors-\x7f\x1b\u202e.safetensors"}}
    for wrong in (changed, named, index | {"version": "\x1b" * 5}, index | {"version": "1" * 50_000}):
        (saved / "model.json").write_text(json.dumps(wrong))
        with pytest.raises(ValueError, match="model") as caught:
            OrthoNet.load(saved)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 5000
