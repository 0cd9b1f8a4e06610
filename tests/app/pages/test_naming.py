"""The form that renames: a name that is too long is said, not dropped."""

from streamlit.testing.v1 import AppTest


def form() -> None:
    import streamlit as st

    from app.pages.shared import naming

    name, about = naming.ask("it", "Flowers", "MLP on iris", "What I tried.")
    st.session_state["sent"] = (name, about)


def test_a_name_that_is_too_long_is_said_and_not_taken() -> None:
    at = AppTest.from_function(form).run()
    at.text_input(key="it_name").set_value("ab" * 70)
    at.button(key="it_do").click().run()
    (said,) = [box.value for box in at.error]
    assert said.replace("\\", "").startswith(
        "A name can have at most 120 characters; this one has 140."
    )
    assert at.session_state["sent"] == (None, None)
    assert at.text_input(key="it_name").value == "ab" * 70


def test_a_name_is_sent_with_its_text_without_needless_blanks() -> None:
    at = AppTest.from_function(form).run()
    assert at.session_state["sent"] == (None, None)
    at.text_input(key="it_name").set_value("  My   irises ")
    at.button(key="it_do").click().run()
    assert at.session_state["sent"] == ("My irises", "What I tried.")
