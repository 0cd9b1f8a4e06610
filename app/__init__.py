"""The workbench in the browser and the command line. Streamlit lives here and nowhere else."""
