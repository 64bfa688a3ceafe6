"""The report: one page that needs no network, in both languages."""

from trueup.report.html.material import Material
from trueup.report.html.page import as_page

__all__ = ["Material", "as_page"]
