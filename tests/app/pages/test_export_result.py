"""What a card of Export says of the file that was made."""

from app.pages.export.page import _result_html


def test_the_size_of_a_file_is_in_words_a_person_reads():
    made = {"max_difference": 0.0, "size_bytes": 5_289_839, "note": "opset 18", "quality": None}
    assert _result_html(made) == (
        '<div class="ll-export-result">largest difference <span class="good">0, exact</span>'
        "<br>5.29 MB · opset 18</div>"
    )
