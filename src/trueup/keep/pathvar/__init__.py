"""PATH: what it holds, what it really leads to, and the named rules that mend the user's own."""
