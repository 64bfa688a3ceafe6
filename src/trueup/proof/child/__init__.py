"""What runs inside the environment that is proven: Python 3.6 and newer, nothing but the framework and numpy.

`python FOLDER ANSWERS EXPECTED DATA EPOCHS FRAMEWORK` appends its answers to the file ANSWERS, one JSON object a
line. Standard output and error belong to the framework's own noise.
"""
