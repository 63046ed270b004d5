"""Settings of the documentation site; `make docs` builds it, and a warning is an error."""

import re

from sphinx.application import Sphinx

from supersparse import __version__

project = "supersparse"
copyright = "the supersparse developers"
release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/*.ipynb", "gallery/*.py", "gallery/*.md5", "gallery/*.json"]

html_theme = "pydata_sphinx_theme"
html_title = "supersparse"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 7,
    "footer_end": [],
}
html_show_sourcelink = False
html_copy_source = False

highlight_language = "none"  # for blocks that name no language
myst_heading_anchors = 3
default_role = "py:obj"  # `name` in a docstring links to what it names, or is set as code
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_param = napoleon_use_rtype = napoleon_use_ivar = False  # types are prose here, not links
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the signatures of docstrings say more
autodoc_default_options = {"exclude-members": "__init__, __new__"}

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "capture_repr": ("_repr_html_",),
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10**6,  # no timings on the pages
    "abort_on_example_error": True,
}


def name_pages_by_title(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Show links that say [page.md](page.md), which read well as plain files, with the title of the page."""
    source[0] = re.sub(r"\[([\w-]+\.md)\]\(\1\)", r"[](\1)", source[0])


def setup(app: Sphinx) -> None:
    """Connect what Sphinx calls."""
    app.connect("source-read", name_pages_by_title)
