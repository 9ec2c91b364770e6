REAL_MAPS = __import__("pathlib").Path("/nonexistent")
