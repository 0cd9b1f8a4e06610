"""What app/streamlit_app.py does, in a folder without pages/ beside it.

AppTest would take app/pages/ for Streamlit's own kind of pages; app/server/main.py
switches that off. Guarded as there: a spawned worker process imports the script.
"""

if __name__ == "__main__":
    from app.pages import navigation

    navigation.show()
