"""Dates whose months are written in words: the names of the months in other languages.

The format of such a date lists the twelve names in braces: %d. {Januar|Februar|...} %Y. So a
project, a script and a server read it without knowing the language.
"""

import re
from collections.abc import Iterator

MONTHS = (
    "January February March April May June July August September October November December",
    "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec",
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "Jänner Februar März April Mai Juni Juli August September Oktober November Dezember",
    "Jänner Feber März April Mai Juni Juli August September Oktober November Dezember",
    "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "Jan Feb März April Mai Juni Juli Aug Sept Okt Nov Dez",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "janv févr mars avr mai juin juil août sept oct nov déc",
    "jan fév mar avr mai jun jul aoû sep oct nov déc",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ene feb mar abr may jun jul ago sep oct nov dic",
    "ene feb mar abr may jun jul ago sept oct nov dic",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "gen feb mar apr mag giu lug ago set ott nov dic",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "jan fev mar abr mai jun jul ago set out nov dez",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "januar februar marts april maj juni juli august september oktober november december",
    "jan feb mar apr maj jun jul aug sep okt nov dec",
    "januar februar mars april mai juni juli august september oktober november desember",
    "jan feb mar apr mai jun jul aug sep okt nov des",
    "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta "
    "syyskuuta lokakuuta marraskuuta joulukuuta",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada "
    "grudnia",
    "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad "
    "grudzień",
    "ledna února března dubna května června července srpna září října listopadu prosince",
    "leden únor březen duben květen červen červenec srpen září říjen listopad prosinec",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",  # noqa: RUF001
    "január február március április május június július augusztus szeptember október november "
    "december",
    "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie "
    "decembrie",
    "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου "
    "Οκτωβρίου Νοεμβρίου Δεκεμβρίου",
    "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember",
)
"""The months from January on, a language in each row; short names without their point."""
_PATTERNS = tuple(
    day + time
    for day in (
        "%d. {} %Y",
        "%d {} %Y",
        "%d-{}-%Y",
        "%d-{}-%y",
        "%d de {} de %Y",
        "%d {} de %Y",
        "{} %d, %Y",
        "%Y. {} %d.",
    )
    for time in ("", " %H:%M", " %H:%M:%S", ", %H:%M", ", %H:%M:%S")
)
PATTERNS = (*_PATTERNS, "{} %Y", "{} de %Y", "{}-%Y", "{}-%y")


def formats_in_words(cell: str) -> Iterator[str]:
    """Formats that this date may have, where a month stands in it by its name."""
    low = cell.lower()
    for names in MONTHS:
        each = names.split()
        found = max((name for name in each if name.lower() in low), key=len, default="")
        if found:
            outline = _outline(low.replace(found.lower(), "{}", 1))
            listed = "{" + "|".join(each) + "}"
            good = (pattern for pattern in PATTERNS if _outline(pattern) == outline)
            yield from (pattern.replace("{}", listed) for pattern in good)


def _outline(text: str) -> str:
    """A date or a pattern without its numbers, and without the point of a shortened month or the
    letters of a first day: 1er, 1º."""
    text = text.replace("%Y", "2000").replace("{}.", "{}")
    text = re.sub(r"%[a-zA-Z]", "1", text)
    text = re.sub(r"\b\d{4}\b", "Y", text)
    return re.sub(r"\b\d{1,2}(er\b|º)?", "9", text)
