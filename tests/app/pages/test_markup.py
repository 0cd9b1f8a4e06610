"""The HTML of Look inside and Export: every text from a file is escaped, figures are right."""

from app.pages.inside import feature_maps, results, summary
from app.pages.shared import markup
from core.insight.confusion_scores import scored
from core.insight.thumbnails import Miss, Sample

EVIL = '<img src=x onerror="alert(1)">'


def test_names_of_classes_cannot_bring_markup() -> None:
    matrix = scored([[3, 1], [0, 2]], [EVIL, "b"])
    drawn = markup.matrix_html(matrix) + results.scores_html(matrix)
    assert "<img" not in drawn
    assert "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;" in drawn


def test_answers_of_mistakes_cannot_bring_markup() -> None:
    drawn = results.miss_html(Miss(Sample(3, b"", EVIL, (1.0, 2.5)), EVIL, 0.5, 1.25))
    assert "<img" not in drawn
    assert "50% sure · loss 1.25 · no. 3" in drawn
    assert "1, 2.5" in drawn


def test_a_matrix_shows_its_counts_and_leaves_zeros_quiet() -> None:
    drawn = markup.matrix_html(scored([[30, 0], [2, 8]], ["a", "b"]))
    assert ">30</td>" in drawn
    assert ">2</td>" in drawn
    assert ">0</td>" not in drawn


def test_a_summary_row_cannot_bring_markup_and_writes_its_numbers() -> None:
    row = {
        "id": "stage.conv1",
        "block": EVIL,
        "depth": 2,
        "output_shape": [1, 6, None],
        "params": 1234,
        "trainable_params": 1234,
        "mult_adds": 0,
        "children": False,
    }
    drawn = summary.table_html({"rows": [row]})
    assert "<img" not in drawn
    assert "<code>conv1</code>" in drawn
    assert "(1, 6, ?)" in drawn
    assert "1,234" in drawn


def test_counts_and_bytes_are_written_with_three_figures() -> None:
    assert [summary.short(n) for n in (0, 999, 422_878, 4_089_184_256)] == [
        "0",
        "999",
        "423 k",
        "4.09 G",
    ]
    assert [summary.size(n) for n in (12, 246_824)] == ["12 B", "247 kB"]


def test_chances_are_a_softmax_of_the_values() -> None:
    drawn = feature_maps.bars_html((0.0, 1.0986123, float("nan")), ["a", EVIL, "c"])
    assert "75.0%" in drawn
    assert "25.0%" in drawn
    assert "<img" not in drawn


def test_shapes_are_written_with_their_batch() -> None:
    assert [markup.shape(s) for s in ((), (10,), (6, 28, 28))] == [
        "(N,)",
        "(N, 10)",
        "(N, 6, 28, 28)",
    ]


def test_a_sample_without_a_picture_is_chosen_by_its_words() -> None:
    rows = [Sample(0, b"", "setosa", (1.25, -0.5)), Sample(0, b"", "4", (0.0,) * 7)]
    texts = [Sample(0, b"", "2007-12-09", (), "9 dec\n  2007"), Sample(0, b"", "", (), "abc")]
    assert [feature_maps.in_words(sample) for sample in (*rows, *texts)] == [
        "setosa: 1.2, -0.5", "4: 0, 0, 0, 0, 0, 0, …", "9 dec 2007 → 2007-12-09", "abc",
    ]  # fmt: skip


def test_a_series_is_drawn_beside_what_is_right_and_a_single_value_said() -> None:
    missed = Miss(Sample(3, b"", ""), "", None, 0.5, lines=([1.0, 2.0], [0.0, 2.5]))
    drawn = results.miss_html(missed)
    assert "dotted what is right · loss 0.5 · no. 3" in drawn
    assert 'alt="What the network says, and dotted what is right."' in drawn
    single = Miss(Sample(3, b"", ""), "", None, 0.5, lines=([1.0], [0.25]))
    assert "said 0.25, is <b>1</b>" in results.miss_html(single)


def test_where_nothing_is_right_or_wrong_only_what_is_said_is_told() -> None:
    drawn = results.miss_html(Miss(Sample(1, b"", ""), "positive at 2.00", None, 1.0))
    assert 'said <span class="said">positive at 2.00</span></div>' not in drawn
    assert 'said <span class="said">positive at 2.00</span><div class="small">' in drawn
