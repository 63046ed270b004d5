"""Fetching against a publisher on this machine: broken connections, wrong rows, copies, no network."""

import gzip
import hashlib
import io
import socket
import zipfile
from dataclasses import replace

import pytest

from publisher import publishing
from shared_data import SHARED, needs_shared_data
from supersparse.datasets import load_internet_ads, load_mammography
from supersparse.errors import DownloadError, InvalidDataError, MissingDataError
from supersparse.table.datasets.originals import (
    INTERNET_ADS,
    MAMMOGRAPHY,
    MAMMOGRAPHY_IMPUTED,
    Original,
    data_folder,
    download,
    fetch,
    imputed_mammography_text,
    internet_ads_text,
    mammography_text,
    stored_text,
)

ROWS = "".join(f"{i},{i % 7},?\n" for i in range(5000))
TEXT = "a,b,c\n" + ROWS


def small(*urls, file="raw/small.csv.gz", sha256=None):
    """An original of a few rows, published without their header."""
    return Original(
        file=file,
        urls=urls,
        names=("small.data",),
        text=lambda content: "a,b,c\n" + content.decode("ascii"),
        sha256=sha256 or hashlib.sha256(TEXT.encode()).hexdigest(),
    )


def archive(**members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, content in members.items():
            file.writestr(name.replace("_dot_", "."), content)
    return packed.getvalue()


def files_in(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_a_fetched_file_is_stored_checked_and_not_fetched_again(tmp_path):
    with publishing({"small.data": ROWS.encode()}) as publisher:
        original = small(f"{publisher.address}/small.data")
        (first,) = fetch([original], folder=tmp_path)
        (second,) = fetch([original], folder=tmp_path)
        assert (first.how, second.how) == ("downloaded", "already there")
        assert publisher.ranges == [None]
    assert files_in(tmp_path) == ["raw/small.csv.gz"]  # and no part of it
    assert stored_text(original, tmp_path) == TEXT
    assert first.origin == original.urls[0]


def test_a_broken_download_goes_on_where_it_stopped(tmp_path):
    with publishing({"f": ROWS.encode()}, break_after=[1000, 2000]) as publisher:
        content = download(f"{publisher.address}/f", tmp_path / "part")
        assert content == ROWS.encode()
        assert publisher.ranges == [None, "bytes=1000-", "bytes=3000-"]


def test_a_later_fetch_goes_on_where_an_earlier_one_gave_up(tmp_path):
    with publishing({"f": ROWS.encode()}, break_after=[1000, 500, 500]) as publisher:
        original = small(f"{publisher.address}/f")
        with pytest.raises(DownloadError, match=r"broke off 3 times, after 2000 bytes.*--from FOLDER"):
            fetch([original], folder=tmp_path)
        assert not (tmp_path / original.file).exists()  # all or nothing
        fetch([original], folder=tmp_path)
        assert publisher.ranges[-1] == "bytes=2000-"
    assert stored_text(original, tmp_path) == TEXT
    assert files_in(tmp_path) == ["raw/small.csv.gz"]


def test_a_server_without_ranges_sends_all_again(tmp_path):
    with publishing({"f": ROWS.encode()}, break_after=[1000], knows_ranges=False) as publisher:
        assert download(f"{publisher.address}/f", tmp_path / "part") == ROWS.encode()
        assert publisher.ranges == [None, "bytes=1000-"]


def test_a_part_that_is_already_whole_is_taken(tmp_path):
    (tmp_path / "part").write_bytes(ROWS.encode())
    with publishing({"f": ROWS.encode()}) as publisher:
        assert download(f"{publisher.address}/f", tmp_path / "part") == ROWS.encode()


def test_other_rows_are_refused_and_forgotten(tmp_path):
    with publishing({"f": ROWS.replace("3,3,?", "3,4,?", 1).encode()}) as publisher:
        original = small(f"{publisher.address}/f")
        with pytest.raises(DownloadError, match=f"differ from those expected .*{original.sha256}.*--unchecked"):
            fetch([original], folder=tmp_path)
        assert files_in(tmp_path) == []
        fetch([original], folder=tmp_path, unchecked=True)
        assert "\n3,4,?\n" in stored_text(original, tmp_path)


def test_a_part_of_an_older_file_does_not_spoil_the_next_fetch(tmp_path):
    (tmp_path / "raw").mkdir()
    with publishing({"f": ROWS.encode()}) as publisher:
        original = small(f"{publisher.address}/f")
        (tmp_path / "raw" / "small.csv.gz.0.part").write_bytes(b"9,9,9\n" * 10)
        with pytest.raises(DownloadError, match="differ from those expected"):
            fetch([original], folder=tmp_path)
        assert fetch([original], folder=tmp_path)[0].how == "downloaded"


def test_the_next_address_is_tried_when_one_fails(tmp_path):
    with publishing({"f": ROWS.encode()}) as publisher:
        original = small(f"{publisher.address}/gone", f"{publisher.address}/f")
        said = []
        (fetched,) = fetch([original], folder=tmp_path, say=said.append)
    assert fetched.origin.endswith("/f")
    assert [line.rsplit("/", 1)[-1] for line in said] == ["gone", "f"]


def test_a_damaged_file_in_the_folder_is_fetched_again(tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "small.csv.gz").write_bytes(b"\x1f\x8bdamaged")
    with publishing({"f": ROWS.encode()}) as publisher:
        assert fetch([small(f"{publisher.address}/f")], folder=tmp_path)[0].how == "downloaded"


def test_without_a_network_the_message_says_what_to_do(tmp_path):
    with socket.socket() as taken:  # bound and not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/f"
        with pytest.raises(DownloadError, match=r"refused.*check the network.*fetch --from FOLDER"):
            fetch([small(url)], folder=tmp_path)


def test_what_the_server_refuses_is_named(tmp_path):
    with publishing({}) as publisher, pytest.raises(DownloadError, match="the server said 404 Not Found"):
        download(f"{publisher.address}/f", tmp_path / "part")


def test_plain_http_is_refused_also_after_a_redirect(tmp_path):
    with pytest.raises(DownloadError, match="not an https address"):
        download("http://example.org/f", tmp_path / "part")
    with (
        publishing({}, redirect_to="http://example.org/f") as publisher,
        pytest.raises(DownloadError, match=r"http://example.org/f is not an https address"),
    ):
        download(f"{publisher.address}/f", tmp_path / "part")


def test_a_copy_is_checked_like_a_download(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    original = small()
    with pytest.raises(MissingDataError, match=r"contains none of raw/small.csv.gz, small.data"):
        fetch([original], folder=target, copy_from=source)
    (source / "small.data").write_text(ROWS)
    (copied,) = fetch([original], folder=target, copy_from=source)
    assert copied.how == "copied"
    assert stored_text(original, target) == TEXT
    (source / "small.data").write_text("1,2,3\n")
    with pytest.raises(InvalidDataError, match="differ from those expected"):
        fetch([replace(original, file="again.csv")], folder=target, copy_from=source)


def test_the_data_folder_is_named_by_the_environment_or_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("SUPERSPARSE_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.delenv("SUPERSPARSE_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert data_folder() == tmp_path / "supersparse" / "data"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert data_folder() == tmp_path / "local" / "supersparse" / "data"
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert data_folder() == tmp_path / "me" / "Library" / "Caches" / "supersparse" / "data"


def test_mammograms_are_read_from_the_archive_the_bare_file_and_a_copy_alike():
    bare = b"5,67,3,5,3,1\r\n4,43,1,1,?,1\r\n\r\n"
    stored = "BIRADS,Age,Shape,Margin,Density,Severity\n5,67,3,5,3,1\n4,43,1,1,?,1\n"
    packed = archive(folder_dot_txt="", mammographic_masses_dot_data=bare)
    assert mammography_text(bare) == mammography_text(packed) == mammography_text(stored.encode()) == stored


def test_an_archive_without_the_file_is_refused_with_what_it_holds():
    with pytest.raises(InvalidDataError, match=r"does not contain 'mammographic_masses.data', only other.txt"):
        mammography_text(archive(other_dot_txt="x"))


def test_ads_are_joined_with_their_names():
    classes = b'| "w:\\c4.5\\alladA" names file\n\nad, nonad | classes.\n\n'
    names = classes + b"height: continuous.\nlocal:  0,1.\nurl*\xaeion:  0,1.\n"
    data = b" 125,1, 0,ad.\n   ?,   ?,1,nonad.\n"
    stored = "height,local,url*®ion,Class\n125,1,0,ad\n?,?,1,nonad\n"
    assert internet_ads_text(archive(ad_dot_data=data, ad_dot_names=names)) == stored
    assert internet_ads_text(gzip.compress(stored.encode())) == stored


@needs_shared_data
def test_a_copy_of_the_shared_data_loads(tmp_path):
    originals = [MAMMOGRAPHY, MAMMOGRAPHY_IMPUTED, INTERNET_ADS]
    assert {f.how for f in fetch(originals, folder=tmp_path, copy_from=SHARED)} == {"copied"}
    assert load_mammography("paper", folder=tmp_path).X.shape == (961, 11)
    assert {f.how for f in fetch(originals, folder=tmp_path)} == {"already there"}


@pytest.mark.long
@needs_shared_data
def test_the_published_forms_of_the_shared_data_have_the_expected_checksums(tmp_path):
    """Write the shared rows as UCI and the authors publish them, and fetch those."""
    header, *rows = stored_text(INTERNET_ADS, SHARED).splitlines()
    ads = archive(
        ad_dot_names=("ad, nonad | classes.\n\n" + "".join(f"{n}: 0,1.\n" for n in header.split(",")[:-1])).encode(
            "latin-1"
        ),
        ad_dot_data="".join("   " + row.replace(",", ", ") + ".\n" for row in rows),
    )
    _, *mammograms = stored_text(MAMMOGRAPHY, SHARED).splitlines()
    imputed = stored_text(MAMMOGRAPHY_IMPUTED, SHARED).replace("target", "Malignant", 1)
    published = {"ads": ads, "masses": "\r\n".join(mammograms).encode(), "processed": imputed.encode()}
    with publishing(published, break_after=[50_000]) as publisher:
        here = [
            replace(original, urls=(f"{publisher.address}/{path}",))
            for original, path in zip([INTERNET_ADS, MAMMOGRAPHY, MAMMOGRAPHY_IMPUTED], published, strict=True)
        ]
        assert [f.how for f in fetch(here, folder=tmp_path)] == ["downloaded"] * 3
    assert load_internet_ads(folder=tmp_path).X.shape == (2359, 1430)


def test_the_authors_release_goes_by_its_column_names():
    names = (
        "Age_geq_60,Density,RoundShape,OvalShape,LobularShape,IrregularShape,CircumscribedMargin,"
        "MicrolobulatedMargin,ObscuredMargin,IllDefinedMargin,SpiculatedMargin,Age_lt_30,Age_geq_30,Age_geq_45"
    )
    text = imputed_mammography_text(f"Malignant,{names}\n-1,1,3{',0' * 11},1\n".encode())
    header, row = text.splitlines()
    read = dict(zip(header.split(","), row.split(","), strict=True))
    assert (read["target"], read["Age_geq_60"], read["Density"], read["Age_geq_45"]) == ("0", "1", "3", "1")
    with pytest.raises(KeyError, match="RoundShape"):
        imputed_mammography_text(b"Malignant,Age\n1,2\n")
