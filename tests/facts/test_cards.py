"""Names of cards as drivers, shops and users write them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.facts import load
from trueup.facts.names import BRANDS, brandless, key, looser
from trueup.facts.store import table

FACTS = load()
NAMES = Path(__file__).with_name("card_names.csv")


@pytest.mark.parametrize(
    ("names", "capability"),
    [
        (
            (
                "GeForce RTX 4060 Laptop",
                "rtx4060 laptop",
                "NVIDIA GeForce RTX 4060 Laptop GPU",
                "RTX 4060 (Laptop)",
                "NVIDIA RTX 4060 Mobile",
            ),
            "8.9",
        ),
        (("Tesla V100-SXM2-16GB", "V100 SXM2 16 GB", "tesla v100"), "7.0"),
        (("NVIDIA A100-SXM4-80GB", "A100 80GB PCIe", "a100", "NVIDIA A100-SXM4-40GB MIG 1g.5gb"), "8.0"),
        (("GRID T4-16Q", "Tesla T4", "NVIDIA T4"), "7.5"),
        (("NVIDIA RTX A2000 12GB", "RTX A2000", "rtx a2000 6gb"), "8.6"),
        (("RTX 2080 Ti 22GB", "GeForce RTX 2080Ti", "NVIDIA GeForce RTX 2080 Ti"), "7.5"),
        (("GTX1660Ti", "GTX 1660 Ti", "NVIDIA GeForce GTX 1660 Ti"), "7.5"),
        (("NVIDIA H100 PCIe", "H100 80GB HBM3", "h100"), "9.0"),
        (("Quadro T1000", "NVIDIA T1000", "Quadro T1000 with Max-Q Design"), "7.5"),
        (("GeForce MX150", "MX150", "NVIDIA GeForce MX 150"), "6.1"),
        (("NVIDIA GeForce RTX 5090", "rtx 5090", "RTX 5090 Laptop GPU"), "12.0"),
        (("GeForce GTX 1080 with Max-Q Design", "GTX 1080"), "6.1"),
        (("NVIDIA TITAN RTX", "Titan RTX"), "7.5"),
        (("NVIDIA GeForce RTX 4070 Ti SUPER", "RTX 4070TiSuper", "rtx 4070 ti super"), "8.9"),
        (("NVIDIA GeForce GTX 750 Ti",), "5.0"),
        (("Tesla K80",), "3.7"),
        (("NVIDIA A40-48Q", "A40"), "8.6"),
    ],
)
def test_spellings_of_one_card(names: tuple[str, ...], capability: str) -> None:
    assert {name: FACTS.card(name).capabilities for name in names} == dict.fromkeys(names, (capability,))


def test_laptop_spellings_give_one_product_name() -> None:
    spellings = ("GeForce RTX 4060 Laptop", "rtx4060 laptop", "NVIDIA GeForce RTX 4060 Laptop GPU")
    assert {FACTS.card(name).name for name in spellings} == {"NVIDIA GeForce RTX 4060 Laptop GPU"}


@pytest.mark.parametrize(
    ("name", "capabilities"),
    [
        ("GeForce GT 710", {"2.1", "3.5"}),
        ("GT 720", {"3.0", "3.5"}),
        ("NVIDIA GeForce GT 730", {"2.1", "3.0", "3.5"}),
        ("GTX 860M", {"3.0", "5.0"}),
        ("GeForce GT 640", {"2.1", "3.0", "3.5"}),
        ("GT 630", {"2.1", "3.0", "3.5"}),
        ("NVIDIA GeForce RTX 3050 A Laptop GPU", {"8.6", "8.9"}),
    ],
)
def test_a_name_of_several_chips_stays_ambiguous(name: str, capabilities: set[str]) -> None:
    assert set(FACTS.card(name).capabilities) == capabilities


@pytest.mark.parametrize(
    ("name", "vendor"),
    [
        ("Intel(R) Arc(TM) A770 Graphics", "intel"),
        ("Intel(R) UHD Graphics 620", "intel"),
        ("AMD Radeon RX 6600", "amd"),
        ("AMD Radeon(TM) Graphics", "amd"),
        ("Qualcomm(R) Adreno(TM) GPU", "qualcomm"),
        ("Microsoft Basic Display Adapter", "other"),
        ("VMware SVGA 3D", "other"),
        ("NVIDIA GeForce RTX 9990", "nvidia"),
        ("Something 3000", "unknown"),
    ],
)
def test_the_maker_is_told_where_the_card_is_not_known(name: str, vendor: str) -> None:
    card = FACTS.card(name)
    assert (card.vendor, card.capabilities, card.name) == (vendor, (), name)


def test_a_pci_id_tells_chips_apart_that_share_a_name() -> None:
    fermi, kepler = FACTS.card_of_pci(0x10DE, 0x0F02), FACTS.card_of_pci(0x10DE, 0x1287)
    assert (fermi.name, fermi.capabilities) == ("NVIDIA GeForce GT 730", ("2.1",))
    assert (kepler.name, kepler.capabilities) == ("NVIDIA GeForce GT 730", ("3.5",))


def test_a_pci_id_that_is_not_listed_stays_unknown() -> None:
    assert FACTS.card_of_pci(0x10DE, 0xFFFF).capabilities == ()
    assert FACTS.card_of_pci(0x1002, 0x73FF).vendor == "amd"
    assert FACTS.card_of_pci(0x8086, 0x56A0).vendor == "intel"


def test_every_product_name_finds_its_own_row() -> None:
    rows = table("cards")["rows"]
    lost = [row[1] for row in rows if row[2] not in FACTS.card(row[1]).capabilities]
    assert lost == []


def test_names_as_drivers_shops_and_people_write_them() -> None:
    """Fermi to Blackwell; a name of several chips has all of them, one that no list has has none."""
    with NAMES.open(encoding="utf-8", newline="") as file:
        wanted = {row["name"]: set(row["capabilities"].split()) for row in csv.DictReader(file)}
    assert len(wanted) >= 250
    assert {name: set(FACTS.card(name).capabilities) for name in wanted} == wanted


def test_a_pci_ids_name_holds_the_chip_that_its_id_has() -> None:
    data = table("pci")
    wrong = {
        (name, chip)
        for _, name, chip in data["rows"]
        if (found := FACTS.card(name).capabilities) and data["chips"][chip] not in found
    }
    assert wrong == {
        ("GeForce GTX 750 Ti", "GK106"),
        ("GeForce GT 1030", "GK107"),
    }  # never sold; docs/facts.md


def test_a_brand_is_the_first_word_of_its_key() -> None:
    """A look-up without the brand tries each brand in front; one further back would not be found."""
    odd = {row[0] for row in table("cards")["rows"] if set(row[0].split()[1:]) & BRANDS}
    assert odd == {"grid k1 tesla usm", "grid k2 geforce usm", "grid k2 tesla usm"}


def test_stored_keys_are_what_names_give() -> None:
    assert [row[1] for row in table("cards")["rows"] if row[0] != key(row[1])] == []


@given(st.text(max_size=60))
def test_any_text_has_a_key_that_is_stable(text: str) -> None:
    once = key(text)
    assert key(once) == once
    assert all(
        once.split().count(word) >= brandless(once).split().count(word) for word in brandless(once).split()
    )


@given(
    st.sampled_from([row[1] for row in table("cards")["rows"]]), st.sampled_from(["", "NVIDIA ", "nvidia "])
)
def test_case_and_maker_do_not_matter(name: str, prefix: str) -> None:
    bare = name.removeprefix("NVIDIA ")
    assert FACTS.card(prefix + bare.upper()).capabilities == FACTS.card(prefix + bare.lower()).capabilities


def test_a_weaker_key_drops_memory_then_form() -> None:
    assert looser(key("Tesla V100-SXM2-16GB")) == ("tesla v100 sxm2", "tesla v100")
    assert looser(key("GRID T4-16Q")) == ("grid t4",)
