"""The script Streamlit reruns at each touch.

Guarded, because a spawned worker process imports the script its parent was running.
"""

if __name__ == "__main__":
    from app.pages import navigation

    navigation.show()
