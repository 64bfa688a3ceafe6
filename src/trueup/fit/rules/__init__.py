"""The rules: each a pure function of one small question, each with its reason."""
