"""The cache: what is on disk is run only if it is ours, whole and for this key; trouble with the disk is never an error."""

from __future__ import annotations

import inspect
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from pathlib import Path

import pytest

from sourcediff.dispatch import cache, store
from tests.edited import edit

KEY = "0123456789abcdef" * 4
OTHER = "fedcba9876543210" * 4
TEXT = "import numpy as np\n\n\ndef f(x):\n    return 1 / x\n"

posix = pytest.mark.skipif(os.name != "posix", reason="owners and mode bits are POSIX")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty cache, in memory and on disk, that has warned of nothing."""
    where = tmp_path / "cache"
    monkeypatch.setenv("SOURCEDIFF_CACHE_DIR", str(where))
    monkeypatch.setattr(cache, "_state", cache._State())
    return where


def never():
    raise AssertionError("built again")


def fetch(text=TEXT, key=KEY, stem="f_grad"):
    return cache.fetch(key, lambda: text, stem)


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


# memory, then disk


def test_a_miss_builds_a_real_file():
    loaded = fetch()
    assert loaded.namespace["f"](4.0) == 0.25
    assert loaded.text == TEXT
    assert os.path.basename(loaded.path) == "f_grad_0123456789abcdef.py"
    assert Path(loaded.path).read_text().startswith(TEXT)


def test_memory_first():
    assert fetch() is cache.fetch(KEY, never, "f_grad")


def test_disk_second():
    first = fetch()
    cache.forget()
    second = cache.fetch(KEY, never, "f_grad")
    assert second is not first
    assert (second.path, second.text, second.namespace["f"](2.0)) == (first.path, first.text, 0.5)


def test_another_process_finds_it():
    path = fetch().path
    program = (
        "import sys; from sourcediff import cache; loaded = cache.fetch(sys.argv[1], None, 'f_grad');"
        "print(loaded.path, loaded.namespace['f'](4.0), cache.info().disk_hits)"
    )
    output = subprocess.run([sys.executable, "-c", program, KEY], capture_output=True, text=True, check=True, env=environment()).stdout
    assert output.split() == [path, "0.25", "1"]


def test_what_another_version_of_the_library_generated_is_not_found(tmp_path):
    package = shutil.copytree(Path(cache.__file__).parents[1], tmp_path / "sourcediff")
    (tmp_path / "program.py").write_text("import sourcediff\n\ndef f(x):\n    return x * x\n\nsourcediff.grad(f, mode='compiled')(2.0)\n")
    hits = []
    for edited in (None, None, "rules/elementwise.py", "core/derive/reverse.py", "runtime/trees.py"):
        if edited:
            edit(package / edited, (package / edited).read_text() + "\n")
        shown = [sys.executable, "-c", "import program, sourcediff; print(sourcediff.cache.info().disk_hits)"]
        env = {**environment(), "PYTHONPATH": str(tmp_path)}
        hits.append(int(subprocess.run(shown, capture_output=True, text=True, check=True, env=env, cwd=tmp_path).stdout))
    assert hits == [0, 1, 0, 0, 0]


def test_another_key_is_another_module():
    fetch()
    assert fetch("def f(x):\n    return 7\n", OTHER).namespace["f"](1) == 7
    assert fetch().namespace["f"](4.0) == 0.25


def test_keys_that_begin_alike_do_not_share_a_file():
    fetch()
    cache.forget()
    alike = KEY[:16] + "0" * 48
    assert fetch("def f(x):\n    return 7\n", alike).namespace["f"](1) == 7


def test_the_text_ends_in_one_line_break_wherever_it_comes_from():
    assert fetch("a = 1").text == "a = 1\n"
    cache.forget()
    assert cache.fetch(KEY, never, "f_grad").text == "a = 1\n"


@pytest.mark.parametrize("stem", ["<lambda>_grad", "../../f", "café", "", "x" * 500])
def test_any_stem_makes_a_plain_file_name(stem, folder):
    assert Path(fetch(stem=stem).path).parent == folder


@pytest.mark.parametrize("key", ["", "abc", "../../../../etc/passwd", KEY.upper(), KEY + "\n"])
def test_a_key_that_is_no_digest_is_refused(key):
    with pytest.raises(ValueError, match="hexadecimal digest"):
        fetch(key=key)


def test_what_build_raises_comes_through_and_leaves_nothing(folder):
    with pytest.raises(ZeroDivisionError):
        cache.fetch(KEY, lambda: str(1 // 0), "f_grad")
    assert not folder.exists()
    assert fetch().namespace["f"](4.0) == 0.25


def test_building_may_fetch():
    def outer():
        inner = fetch("b = 2\n", OTHER, "helper")
        return f"a = {inner.namespace['b']} + 1\n"

    assert cache.fetch(KEY, outer, "f_grad").namespace["a"] == 3


def test_a_disk_hit_is_quick():
    text = "import numpy as np\n\n" + "".join(f"def f{i}(x):\n    y = np.sin(x)\n    return y * {i}\n\n" for i in range(20))
    fetch(text)
    times = []
    for _ in range(7):
        cache.forget()
        start = time.perf_counter()
        cache.fetch(KEY, never, "f_grad")
        times.append(time.perf_counter() - start)
    assert min(times) < 0.002


# what is damaged is not run


def truncated(content: bytes) -> bytes:
    return content[: len(content) // 2]


def without_its_last_byte(content: bytes) -> bytes:
    return content[:-1]


def edited(content: bytes) -> bytes:
    return content.replace(b"1 / x", b"2 / x")


def appended_to(content: bytes) -> bytes:
    return content + b"raise SystemExit\n"


def emptied(content: bytes) -> bytes:
    return b""


def no_text(content: bytes) -> bytes:
    return b"\xff\xfe" + content


def sealed_for_another_key(content: bytes) -> bytes:
    return content.replace(KEY.encode(), OTHER.encode())


@pytest.mark.parametrize("damage", [truncated, without_its_last_byte, edited, appended_to, emptied, no_text, sealed_for_another_key])
def test_a_damaged_file_is_built_again(damage, folder):
    fetch()
    path = only_file(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert path.read_bytes() != whole
    cache.forget()
    built = []
    loaded = cache.fetch(KEY, lambda: built.append(1) or TEXT, "f_grad")
    assert built and loaded.namespace["f"](4.0) == 0.25
    assert path.read_bytes() == whole


def test_load_file_runs_an_edited_file_as_it_is(folder):
    fetch()
    path = only_file(folder)
    path.write_bytes(edited(path.read_bytes()))
    loaded = cache.load_file(path)
    assert loaded.namespace["f"](4.0) == 0.5
    assert "2 / x" in loaded.text
    assert fetch().namespace["f"](4.0) == 0.25  # nothing is cached by it


def test_load_file_needs_the_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        cache.load_file(tmp_path / "none.py")


# folders and files that are not to be trusted


@posix
def test_folder_and_file_are_the_owners_alone(folder):
    before = os.umask(0)
    try:
        path = fetch().path
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def plant(folder: Path) -> Path:
    """A file that bears the right seal and gives itself away when it is run."""
    text = TEXT + "PLANTED = True\n"
    folder.mkdir(exist_ok=True)
    path = folder / f"f_grad_{KEY[:16]}.py"
    path.write_text(text + store.seal(KEY, text))
    return path


def test_a_planted_file_would_be_run_in_a_good_folder(folder):
    """So that the tests below are about the folder, not about the seal."""
    path = plant(folder)
    folder.chmod(0o700)
    path.chmod(0o600)
    assert fetch().namespace["PLANTED"]


def refused_with_one_warning(why: str):
    with pytest.warns(RuntimeWarning, match=why) as caught:
        loaded = fetch()
        fetch(key=OTHER)
    assert len(caught) == 1
    assert "PLANTED" not in loaded.namespace
    assert loaded.path == "<sourcediff f_grad_0123456789abcdef>"
    assert loaded.namespace["f"](4.0) == 0.25
    assert fetch() is loaded


@posix
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_can_write_to_is_not_used(mode, folder):
    before = plant(folder).read_text()
    folder.chmod(mode)
    refused_with_one_warning("can be written by other users")
    assert only_file(folder).read_text() == before


@posix
def test_a_folder_of_another_user_is_not_used(folder, monkeypatch):
    plant(folder)
    folder.chmod(0o755)
    someone = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: someone)
    refused_with_one_warning("belongs to another user")


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a link to another user")
def test_a_link_of_another_user_is_not_followed(folder, tmp_path):
    plant(tmp_path / "real").chmod(0o600)
    (tmp_path / "real").chmod(0o700)
    folder.symlink_to(tmp_path / "real")
    assert fetch().namespace["PLANTED"]  # one's own link is as good as a folder
    cache.forget()
    os.lchown(folder, 12345, 12345)
    refused_with_one_warning("belongs to another user")


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_can_write_to_is_not_run(mode, folder):
    path = plant(folder)
    folder.chmod(0o700)
    path.chmod(mode)
    assert "PLANTED" not in fetch().namespace
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_in_place_of_the_file_is_not_followed(link, folder, tmp_path):
    planted = plant(tmp_path / "elsewhere")
    planted.chmod(0o600)
    folder.mkdir(mode=0o700)
    link(planted, folder / planted.name)
    assert "PLANTED" not in fetch().namespace
    assert "PLANTED" in planted.read_text()
    assert not (folder / planted.name).is_symlink()


def test_a_folder_that_cannot_be_made_is_one_warning(folder):
    folder.write_text("a file, not a folder")
    refused_with_one_warning("is no folder|cannot be written")
    assert folder.read_text() == "a file, not a folder"


@posix
def test_a_read_only_folder_is_one_warning(monkeypatch):
    with tempfile.TemporaryDirectory() as scratch, acting_as_nobody(scratch):
        where = Path(scratch, "cache")
        where.mkdir(mode=0o500)
        monkeypatch.setenv("SOURCEDIFF_CACHE_DIR", str(where))
        refused_with_one_warning("cannot be written")


class acting_as_nobody:
    """For root no folder is read-only, so root acts as somebody else."""

    def __init__(self, scratch: str):
        self.scratch = scratch
        self.root = os.geteuid() == 0

    def __enter__(self):
        if self.root:
            os.chown(self.scratch, 65534, 65534)
            os.seteuid(65534)

    def __exit__(self, *_):
        if self.root:
            os.seteuid(0)


def test_text_in_memory_alone_can_be_read_in_a_traceback(folder):
    folder.write_text("a file, not a folder")
    with pytest.warns(RuntimeWarning):
        loaded = fetch()
    assert "return 1 / x" in inspect.getsource(loaded.namespace["f"])
    with pytest.raises(ZeroDivisionError) as caught:
        loaded.namespace["f"](0)
    assert "return 1 / x" in "".join(traceback.format_exception(caught.value))


# size


def test_the_oldest_files_go(folder, monkeypatch):
    monkeypatch.setenv("SOURCEDIFF_CACHE_SIZE", "10K")
    text = "#" * 1000 + "\n"
    for number in range(40):
        path = fetch(text, f"{number:016x}").path
        os.utime(path, (number, number))
        assert cache.info().bytes <= 10 << 10
    left = sorted(int(path.stem[-16:], 16) for path in folder.iterdir())
    assert 6 <= len(left) <= 9
    assert left == list(range(40 - len(left), 40))


def test_an_evicted_file_still_shows_its_text(folder):
    loaded = fetch()
    os.unlink(loaded.path)
    assert "return 1 / x" in inspect.getsource(loaded.namespace["f"])


def test_a_size_of_zero_keeps_nothing_on_disk(folder, monkeypatch):
    monkeypatch.setenv("SOURCEDIFF_CACHE_SIZE", "0")
    assert fetch().path.startswith("<sourcediff ")
    assert not folder.exists()


@pytest.mark.parametrize(("written", "meant"), [("", 256 << 20), ("1000", 1000), ("2k", 2048), ("3M", 3 << 20), ("1 GB", 1 << 30)])
def test_sizes(written, meant, monkeypatch):
    monkeypatch.setenv("SOURCEDIFF_CACHE_SIZE", written)
    assert cache.limit() == meant


@pytest.mark.parametrize("written", ["-1", "lots", "1.5G"])
def test_a_size_that_is_none_is_one_warning(written, monkeypatch):
    monkeypatch.setenv("SOURCEDIFF_CACHE_SIZE", written)
    with pytest.warns(RuntimeWarning, match="is no size") as caught:
        assert cache.limit() == cache.limit() == 256 << 20
    assert len(caught) == 1


# info, clear, folder


def test_info_counts(folder):
    assert cache.info() == (str(folder), 0, 0, 0, 0, 0)
    path = fetch().path
    fetch()
    fetch()
    cache.forget()
    fetch()
    assert cache.info() == (str(folder), 1, os.path.getsize(path), 2, 1, 1)


def test_clear_deletes_what_is_ours_and_nothing_else(folder):
    fetch()
    fetch(key=OTHER)
    (folder / "notes.py").write_text("mine")
    (folder / "train_2024.py").write_text("mine")
    cache.clear()
    assert sorted(path.name for path in folder.iterdir()) == ["notes.py", "train_2024.py"]
    assert cache.info().files == 0
    built = []
    cache.fetch(KEY, lambda: built.append(1) or TEXT, "f_grad")
    assert built


def test_what_a_killed_process_left_is_swept_up_but_not_what_is_being_written(folder):
    fetch()
    abandoned, current = folder / ".f_grad_1.sourcediff-tmp", folder / ".f_grad_2.sourcediff-tmp"
    for path in (abandoned, current):
        path.write_text("half a mod")
    os.utime(abandoned, (0, 0))
    cache.clear()
    assert list(folder.iterdir()) == [current]
    assert cache.info().files == 0


def test_clear_without_a_folder_is_no_error(folder):
    cache.clear()
    assert not folder.exists()


def test_the_folder_is_read_from_the_environment_at_each_call(monkeypatch, tmp_path):
    monkeypatch.setenv("SOURCEDIFF_CACHE_DIR", str(tmp_path / "a"))
    first = fetch().path
    monkeypatch.setenv("SOURCEDIFF_CACHE_DIR", str(tmp_path / "b"))
    second = fetch(key=OTHER).path
    assert (Path(first).parent, Path(second).parent) == (tmp_path / "a", tmp_path / "b")
    monkeypatch.delenv("SOURCEDIFF_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.folder() == str(tmp_path / "xdg" / "sourcediff")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    assert os.path.isabs(cache.folder())


# threads and processes


def test_threads_build_once():
    built = []
    start = threading.Barrier(8)
    got = []

    def build():
        built.append(1)
        time.sleep(0.02)
        return TEXT

    def work():
        start.wait()
        got.append(cache.fetch(KEY, build, "f_grad"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1
    assert len(got) == 8 and all(loaded is got[0] for loaded in got)
    assert cache.info()[3:] == (7, 0, 1)


def environment() -> dict[str, str]:
    """This environment, with this checkout importable."""
    here = str(Path(cache.__file__).parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])}


def test_processes_do_not_disturb_one_another(folder):
    """Four processes write, read and clear the same keys at once; each always gets a whole module with the right value."""
    program = """
import sys, random
from sourcediff import cache
random.seed(int(sys.argv[1]))
for turn in range(150):
    number = random.randrange(4)
    loaded = cache.fetch(f"{number:064x}"[::-1], lambda: "#" * 5000 + f"\\nvalue = {number}\\n", "shared")
    assert loaded.namespace["value"] == number
    cache.forget()
    if turn % 20 == 0:
        cache.clear()
    cache.info()
"""
    running = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", program, str(seed)], env=environment(), stderr=subprocess.PIPE, text=True)
        for seed in range(4)
    ]
    failures = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0] * 4, "\n".join(failures)
    assert not [path for path in folder.iterdir() if path.suffix != ".py"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork is POSIX")
def test_a_child_forked_during_a_build_in_another_thread_does_not_hang():
    program = """
import os, threading, warnings
from sourcediff import cache
warnings.simplefilter("ignore")  # Python warns of forking with threads, which is the point
building, go_on = threading.Event(), threading.Event()

def slow():
    building.set()
    go_on.wait()
    return "a = 1\\n"

thread = threading.Thread(target=cache.fetch, args=("0" * 64, slow, "slow"))
thread.start()
building.wait()
child = os.fork()
if child == 0:
    os._exit(cache.fetch("1" * 64, lambda: "a = 5\\n", "child").namespace["a"])
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
go_on.set()
thread.join()
raise SystemExit(status != 5)
"""
    subprocess.run([sys.executable, "-c", program], env=environment(), check=True, timeout=60)


def test_no_warning_and_no_parser_on_the_way_from_disk():
    fetch()
    program = (
        "import sys; from sourcediff import cache; cache.fetch(sys.argv[1], None, 'f_grad');"
        "print([name for name in ('gast', 'astor', 'scipy', 'tempfile') if name in sys.modules and name not in before])"
    )
    program = "import sys, numpy; before = set(sys.modules); " + program
    run = subprocess.run([sys.executable, "-W", "error", "-c", program, KEY], capture_output=True, text=True, check=True, env=environment())
    assert run.stdout.strip() == "[]"
    assert run.stderr == ""


def test_fetching_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fetch()
        cache.info()
        cache.clear()
