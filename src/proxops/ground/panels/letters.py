"""How wide words are, for placing them side by side: DejaVu Sans to about a twentieth, which Verdana is like."""

from __future__ import annotations

from typing import Final

FAMILY: Final = "'DejaVu Sans','Bitstream Vera Sans',Verdana,Geneva,sans-serif"
USUAL: Final = 0.63  # of the letter's size: digits and most small letters
WIDTHS: Final = {
    letter: width
    for width, letters in {
        0.28: "'Iijl",
        0.33: " ,./:;|",
        0.39: "!()-[]frt¹²³",
        0.51: '"*?_sz°–',
        0.57: "FJLckvxy⁻",
        0.69: "ABCKPRSTUVXYZ",
        0.77: "&DGHNOQ",
        0.84: "#+<=>~−±w",
        0.96: "%@MWm…",
    }.items()
    for letter in letters
}


def width_of(words: str, size: float) -> float:
    """In the unit of ``size``."""
    return size * sum(WIDTHS.get(letter, USUAL) for letter in words)
