"""The page "Export": a card for each format; each file is compared with the eager model."""

import hashlib
import io
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.export import report_figure
from app.pages.shared import checkpoints, markup, networks, state, svg_plots
from app.pages.shared.beginning import require_document
from app.process import pool
from app.process.pool import PoolError
from app.services import paths
from app.services.calls import files
from app.services.document import Document
from app.wing import parts
from core.common.memory import size as byte_words
from core.common.network_ref import NetworkRef, ProjectRef, RunWeights
from core.export.format import Format
from core.export.formats import FORMATS, NOT_OFFERED, grouped
from core.export.needs import missing
from core.graph.value_branches import KEPT, value_branches
from core.project import ProjectError, open_project, read_text
from core.runs import listing
from core.tasks.metric_labels import measure_words, shown


def render() -> None:
    """Draw the page."""
    document = require_document("export")
    markup.style()
    names = networks.network_names(document)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header("Export", width="content")
        st.space("stretch")
        preferred = networks.default_name(document, names)
        name, checkpoint = networks.pick(names, preferred, "export", _checkpoint)
        more = st.popover("More ways", icon=":material/more_horiz:", key="export_else")
    with more:
        kind = _further()
        state.links("export")
        for _, part in parts("share"):
            part.button(document, "export")
    networks.note_skipped(document, names, name)
    if networks.warn_if_unfinished(document, name):
        return
    _whose(name)
    source = _source(document, name, checkpoint)
    if source is None:
        return
    _decisions(source)
    stem = _stem(document)
    if kind is not None:
        _chosen(kind, source, stem)
    _cards("first", [kind for kind in FORMATS.values() if kind.first], source, stem)
    drawn = (
        source if isinstance(source, RunWeights) else ProjectRef(source.text)
    )  # needs no weights
    report_figure.show(drawn, _stem(document), _opens(document))


PICTURES = Path(__file__).parents[3] / "assets" / "export"
"""What each format shows that is shown first, drawn, by its name."""
MORE = "export_more"
"""Session key of the format that is chosen among those that are not shown first."""


def _further() -> Format | None:
    """Draw a list of all other formats, by their purpose; return the chosen one."""
    groups = {
        kind.name: group
        for group, kinds in grouped()
        for kind in kinds
        if not kind.first and not kind.figure
    }
    chosen = st.selectbox(
        "Another format",
        groups,
        index=None,
        format_func=lambda name: f"{groups[name].title}: {FORMATS[name].title}",
        placeholder=f"{len(groups)} more: choose or type",
        key=MORE,
    )
    reasons = "; ".join(f"{name}: {why}" for name, why in NOT_OFFERED.items())
    st.caption("What is not offered, and why", help=escape_markdown(f"{reasons}.", 1000))
    return FORMATS[chosen] if chosen else None


def _chosen(kind: Format, source: NetworkRef, stem: str) -> None:
    """Draw the card of the format that was chosen from the list."""
    about = next(group.about for group, kinds in grouped() if kind in kinds)
    st.caption(escape_markdown(about))
    _cards(kind.group, [kind], source, stem)
    for _, part in parts("export"):
        part.below(kind.group, source)


def _cards(key: str, kinds: list[Format], source: NetworkRef, stem: str) -> None:
    with st.container(key=f"export_cards_{key}"):
        for kind in kinds:
            with st.container(key=f"export_card_{kind.name.replace('-', '_')}"):
                _card(kind, source, stem)


def _decisions(source: NetworkRef) -> None:
    """Warn of own Python with value-dependent branches, and list the formats that keep them."""
    try:
        if isinstance(source, RunWeights):
            project = open_project(source.folder / "project.loom.json")
        else:
            project = read_text(source.text)
    except (ProjectError, OSError):  # the export itself shows the error
        return
    if found := value_branches(project.graph):
        lines = " ".join(f"{each.path} {each.what}." for each in found[:3])
        st.warning(escape_markdown(f"{lines} {KEPT}", 800), icon=":material/alt_route:")


def _opens(document: Document) -> bool:
    """Whether the drawing uses a drawn composite."""
    graph = document.project.graph
    drawn = {name for name, part in graph.composites.items() if not part.python}
    return any(node.block in drawn for node in graph.nodes.values())


def _whose(name: str) -> None:
    if name == networks.DRAWING:
        st.caption("This drawing has not been trained, so its weights are random.")
    elif name == networks.IMPORTED:
        st.caption(
            "Exports the weights imported with this drawing. Every file is run and compared with "
            "the network in PyTorch; the largest difference is shown."
        )
    else:
        st.caption(
            "Every file is run on real samples and compared with the network in PyTorch; the "
            "largest difference is shown."
        )


def _checkpoint(name: str) -> str:
    """Draw the choice of a run's checkpoint; return its name."""
    folder = paths.find_run(name) if name else None
    if folder is None or networks.weights_version(folder) == "none":
        return "best"
    return checkpoints.select(folder, "best", "export_of")


def _source(document: Document, name: str, which: str) -> NetworkRef | None:
    """The network to export."""
    folder = paths.find_run(name) if name else None
    if folder is None:
        beside = networks.imported_weights(document) if name == networks.IMPORTED else None
        return beside or ProjectRef(document.text())
    if networks.weights_version(folder) == "none":
        alive = listing.view_run(folder).state in listing.ALIVE
        hint = "Wait for its first epoch to end." if alive else "Train the network again."
        st.info(f"This run has no weights yet. {hint}")
        return None
    return networks.of_run(folder, which)


def _stem(document: Document) -> str:
    """The name of the files; Python can import a module of this name."""
    return paths.stem(document.title, "_", re.ASCII) or "network"


def _card(kind: Format, source: NetworkRef, stem: str) -> None:
    said = {"deprecated upstream": kind.deprecated, "experimental": kind.experimental}
    marks = (
        f'<span title="{markup.escape(why)}">{mark}</span>' for mark, why in said.items() if why
    )
    if kind.first:
        drawn = (PICTURES / f"{kind.name}.svg").read_text("utf-8")
        st.html(f'<div class="ll-export-picture">{svg_plots.as_image(drawn, "", 240)}</div>')
    st.html(f'<div class="ll-kind">{markup.escape(kind.title)}{"".join(marks)}</div>')
    st.caption(escape_markdown(kind.about))
    key = f"export:{kind.name}:{hashlib.sha256(repr(source).encode()).hexdigest()[:16]}"
    made = state.value(f"{key}:made")
    if made is None:
        _offer(kind, source, key, stem)
        return
    content, result = made
    st.html(_result_html(result))
    ending, media = (
        (".zip", "application/zip") if result["beside"] else (kind.ending, kind.media_type)
    )
    st.download_button(
        f"Download {escape_markdown(ending)}",
        content,
        f"{stem}{kind.suffix}{ending}",
        media,
        key=f"{key}:download",
        type="primary",
        width="stretch",
        icon=":material/download:",
        on_click="ignore",
    )


def _offer(kind: Format, source: NetworkRef, key: str, stem: str) -> None:
    """Draw the button that exports the file, or what is missing for it."""
    own = require_document("export").project.data
    has_data = isinstance(source, RunWeights) or own.get("source")
    lacking = " ".join(missing(kind)).strip()
    if lacking:
        st.html(f'<div class="ll-missing">{markup.escape(lacking)}</div>')
    elif kind.trains and not has_data:
        st.page_link(
            state.page("data"),
            label="Choose data first",
            width="stretch",
            icon=":material/database:",
            query_params=state.address(),
        )
    elif st.button("Export", key=f"{key}:make", width="stretch"):
        _make(kind, source, key, stem)


def _content(out: Path, beside: list[str]) -> bytes:
    """The file, or an archive of it and the files it needs."""
    if not beside:
        return out.read_bytes()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in (out.name, *beside):
            archive.write(out.parent / name, name)
    return buffer.getvalue()


def _make(kind: Format, source: NetworkRef, key: str, stem: str) -> None:
    try:
        with st.spinner("Exporting and comparing"), tempfile.TemporaryDirectory() as folder:
            out = Path(folder, f"{stem}{kind.suffix}{kind.ending}")
            where = str(paths.runs_dir()), require_document("export").beside
            result = pool.call(
                files.export,
                source,
                kind.name,
                str(out),
                *where,
                timeout_s=kind.limit_s,
            )
            state.keep(f"{key}:made", (_content(out, result["beside"]), result))
    except PoolError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.rerun()


def _result_html(result: dict[str, Any]) -> str:
    """The measurements of a file as HTML."""
    difference = result["max_difference"]
    words = "not compared"
    if isinstance(difference, float):
        figure = f"{difference:.1e}" if difference else "0, exact"
        words = f'largest difference <span class="good">{figure}</span>'
    size = byte_words(int(str(result["size_bytes"])))
    note = markup.escape(result["note"])
    lines = [words, _quality_html(result["quality"]), f"{size}{f' · {note}' if note else ''}"]
    return f'<div class="ll-export-result">{"<br>".join(line for line in lines if line)}</div>'


def _quality_html(quality: Any) -> str:
    """Metric and time of a file, each with the network's own."""
    if not quality:
        return ""
    lines: list[str] = []
    if metric := quality["metric"]:
        file, eager = (shown(metric, quality[which]) for which in ("file", "torch"))
        name = markup.escape(measure_words(metric))
        lines.append(f'{name} exported <span class="good">{file}</span>, PyTorch {eager}')
    for batch, times in quality["latency_ms"].items():
        samples = "one sample" if batch == "1" else f"{batch} samples"
        lines.append(f"{samples} {times['file']:.2g} ms, PyTorch {times['torch']:.2g} ms")
    return "<br>".join(lines)
