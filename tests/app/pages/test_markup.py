"""The HTML of Look inside and Export: every text from a file is escaped, figures are right."""

from app.pages.inside import confusion, feature_maps, filters, mistakes, sample_html, summary
from app.pages.shared import markup
from core.insight.confusion_scores import scored
from core.insight.sample_detail import Cell, Head, Neighbour, SampleDetail, Token
from core.insight.thumbnails import Miss, Sample, Shot
from core.insight.weight_detail import ExcitingSample
from core.tasks.readout import Score

EVIL = '<img src=x onerror="alert(1)">'


def test_names_of_classes_cannot_bring_markup() -> None:
    matrix = scored([[3, 1], [0, 2]], [EVIL, "b"])
    drawn = markup.matrix_html(matrix) + confusion.scores_html(matrix)
    assert "<img" not in drawn
    assert "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;" in drawn


def test_answers_of_mistakes_cannot_bring_markup() -> None:
    missed = Miss(Sample(3, b"", EVIL, (1.0, 2.5)), EVIL, 0.5, 1.25)
    drawn = mistakes.miss_html(missed) + sample_html.of_miss(missed)
    assert "<img" not in drawn
    assert ">50%</span>" in drawn
    assert "1, 2.5" in drawn


def test_nothing_of_an_opened_sample_can_bring_markup() -> None:
    scores = (Score(EVIL, 0.25, True, False), Score("b", 0.75, False, True))
    found = SampleDetail(
        Miss(Sample(3, b"", EVIL), EVIL, 0.75, 1.4),
        (Head(EVIL, EVIL, "b", 1.4, scores=scores), Head("other", EVIL, EVIL, 0.5)),
        (Cell(EVIL, 5.25, -2.5),),
    )
    texts = (Token("<"), Token("a", "<", "<b>"))
    near = [Neighbour(b"", EVIL, EVIL, 0.5)]
    shot = Shot(EVIL, EVIL, (2,), b"", 0.0, 1.0, 0.5, 0.0)
    drawn = sample_html.sample(found) + sample_html.heads(found) + sample_html.neighbours(near)
    every = drawn + sample_html.tokens(texts)
    assert "<img" not in every
    assert "<b>&lt;" in every
    assert "<img src=x" not in sample_html.block(shot)
    cell = markup.matrix_html(scored([[3, 1], [0, 2]], [EVIL, "b"]), opens=True)
    assert "<img" not in cell
    assert "<button" in cell


def test_target_and_prediction_are_named_in_words_beside_their_bars() -> None:
    scores = (Score("cat", 0.25, True, False), Score("dog", 0.75, False, True))
    drawn = sample_html.scores(scores)
    assert drawn.index("25.0%") < drawn.index(">target</em>") < drawn.index("75.0%")
    assert drawn.index("75.0%") < drawn.index(">prediction</em>")


def test_of_many_classes_the_ten_likeliest_and_the_target_are_drawn() -> None:
    scores = tuple(Score(f"c{k}", k / 210, k == 0, k == 20) for k in range(21))
    drawn = sample_html.scores(scores)
    assert drawn.count('class="bar') == 11
    assert ">c0</span>" in drawn
    assert "10 more classes are less probable." in drawn


def test_weights_are_written_in_columns_that_can_be_copied() -> None:
    assert filters.table(((0.5, -1.25), (100.0, 1e-7))) == (
        "       0.5      -1.25\n       100      1e-07"
    )
    assert filters.table((tuple(float(k) for k in range(10)),)).count("\n") == 1


def test_a_receptive_field_is_a_frame_in_shares_of_the_picture() -> None:
    found = ExcitingSample(Sample(4, b"png", "7"), 2.5, (1, 2), ((7, 14), (0, 14)), (28, 28))
    drawn = filters.excited_html(found)
    assert 'style="left:0.00%;top:25.00%;width:50.00%;height:25.00%"' in drawn
    assert "2.5 at (1, 2)" in drawn
    assert "sees 7x14 · sample 4" in drawn


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
        "kept_for_backward_bytes": None,
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


def test_a_row_of_a_table_is_shown_as_its_file_has_it() -> None:
    row = Sample(0, b"", "yes", (0.5, -0.25), cells=("69", "pro"))
    assert feature_maps.in_words(row) == "yes: 69, pro"
    missed = Miss(row, "no", 0.5, 1.25)
    assert "69, pro" in mistakes.miss_html(missed)
    assert "69, pro" in sample_html.of_miss(missed)


def test_a_series_is_drawn_beside_what_is_right_and_a_single_value_is_text() -> None:
    missed = Miss(Sample(3, b"", ""), "", None, 0.5, lines=([1.0, 2.0], [0.0, 2.5]))
    drawn = mistakes.miss_html(missed)
    assert "loss 0.5" in drawn
    assert 'alt="Line: prediction. Dotted: target."' in drawn
    single = Miss(Sample(3, b"", ""), "", None, 0.5, lines=([1.0], [0.25]))
    assert "predicted 0.25, target <b>1</b>" in mistakes.miss_html(single)


def test_where_nothing_is_right_or_wrong_only_the_prediction_is_shown() -> None:
    drawn = mistakes.miss_html(Miss(Sample(1, b"", ""), "positive at 2.00", None, 1.0))
    assert '<span><span class="said">positive at 2.00</span></span>' in drawn
    assert "→" not in drawn
