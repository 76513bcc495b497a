"""Makes modules of sources that are held in memory. In a packed notebook this file stands first in what is packed.

Tracebacks, `inspect.getsource` and `??` show the true lines of these modules, by their place in the repository.
"""

import importlib.abc
import importlib.util
import linecache
import sys


class Packed(importlib.abc.ExecutionLoader):
    """Finds and loads the package `checking`. sources: name of a module -> its file in the repository, its text."""

    def __init__(self, sources: dict[str, tuple[str, str]]) -> None:
        before = getattr(sys.modules.get("checking"), "__loader__", None)
        self.sources = sources
        self.codes = getattr(before, "codes", {}) if getattr(before, "sources", None) == sources else {}

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name in self.sources else None

    def is_package(self, name):
        return self.sources[name][0].endswith("__init__.py")

    def get_filename(self, name):
        return self.sources[name][0]

    def get_source(self, name):
        return self.sources[name][1]

    def get_code(self, name):
        if name not in self.codes:
            self.codes[name] = super().get_code(name)
        return self.codes[name]


def load(sources, own_parts):
    """Replace the modules of an earlier run, and give the package what the setup cell imports from it.

    own_parts: the sources of the cells with the course's code of functions and classes that earlier units built.
    """
    finder = Packed(sources)
    for name in [name for name in sys.modules if name.split(".")[0] == "checking"]:
        del sys.modules[name]
    sys.meta_path[:] = [finder, *(it for it in sys.meta_path if type(it).__name__ != "Packed")]
    for file, text in sources.values():
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    package = importlib.import_module("checking")
    importlib.import_module("checking.own").remember(own_parts)
    vars(package)["heatmap"] = importlib.import_module("checking.pictures").heatmap
    if "checking.view" in sources:
        vars(package)["attention_view"] = importlib.import_module("checking.view").attention_view
    vars(package)["check"] = importlib.import_module("checking.notebook").opened(
        importlib.import_module("checking.unit")
    )
