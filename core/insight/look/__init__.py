"""Networks and samples as `layerloom look` shows them: one module for each kind of answer."""
