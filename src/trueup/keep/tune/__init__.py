"""`trueup tune`: settings of the system: what is, what would be, why, and back again."""
