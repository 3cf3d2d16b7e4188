"""The rules of the house that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
APP = CHECKOUT / "app"
UI = CHECKOUT / "ui"
QT = {"PySide6", "shiboken6", "qasync", "ui"}
PURE = ("story", "recall", "memory", "prompt", "views")
ADAPTERS = ("sillytavern", "llm", "store", "work", "companion", "commands")
EFFECTS = {
    *("httpx", "websockets", "watchfiles", "peewee", "playhouse", "keyring", "platformdirs"),
    *("asyncio", "socket", "subprocess", "sqlite3", "os", "shutil", "tempfile"),
    *("time", "random", "secrets", "logging"),
}

# Assembled here, so that this file does not hold what it looks for.
HOME_PATHS = re.compile(
    r"(?<![\w.~%}])(?:/"
    + r"(?:root|work|home/(?!node/)\w+|Users/\w+)/\w|[A-Z]:\\+"
    + r"Users\\+\w)"
)
REGISTRY_HOSTS = re.compile(
    "|".join(
        re.escape(".".join(labels))
        for labels in (
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("npmjs", "org"),
            ("npmjs", "com"),
            ("yarnpkg", "com"),
        )
    )
)


def sources(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(CHECKOUT).as_posix()


def imports_of(path: Path) -> Iterator[str]:
    """The full names of the modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            assert node.module
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


PATTERN_MAKERS = {
    *(f"re.{name}" for name in ("compile", "search", "match", "fullmatch", "sub", "subn")),
    *("re.split", "re.findall", "re.finditer", "QRegularExpression"),
}


@pytest.mark.parametrize("path", sources(APP), ids=name_of)
def test_the_program_imports_no_qt(path: Path) -> None:
    assert not {name.split(".")[0] for name in imports_of(path)} & QT


@pytest.mark.parametrize("path", sources(*(APP / name for name in PURE)), ids=name_of)
def test_pure_packages_import_no_adapter_and_no_clock_disk_or_chance(path: Path) -> None:
    imported = set(imports_of(path))
    adapters = tuple(f"app.{name}" for name in ADAPTERS)
    assert not [name for name in imported if ".".join(name.split(".")[:2]) in adapters]
    assert not {name.split(".")[0] for name in imported} & EFFECTS


def test_settings_are_read_as_fields_that_have_types() -> None:
    """`MemorySettings(settings).memory_every`, not `settings["memory_every"]`."""
    read_by_name = [
        f"{name_of(path)}:{node.lineno}: {ast.unparse(node)}"
        for path in sources(APP, UI)
        if path.parent != APP / "settings"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Subscript)
        and ast.unparse(node.slice).startswith(("'", "f'"))
        and ast.unparse(node.value).removesuffix("()").endswith("settings")
    ]
    assert not read_by_name


def test_nobody_writes_into_an_open_chat_but_itself() -> None:
    """What others want of it, they say by its methods (app/work/chats/wanted_work.py)."""
    written = [
        f"{name_of(path)}:{node.lineno}: {ast.unparse(node)}"
        for path in sources(APP, UI)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value) == "chat"
    ]
    assert not written


def test_each_part_is_given_what_it_needs_when_it_is_made() -> None:
    """Nothing is filled in later: who reads how a part is made knows all that it works with."""
    filled_in = [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for name in ("wiring.py", "watched_parts.py", "companion.py", "parts.py")
        for node in ast.walk(ast.parse((APP / name).read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value) != "self"
    ]
    assert not filled_in


@pytest.mark.parametrize("path", sources(APP, UI), ids=name_of)
@pytest.mark.pitfall(13)
def test_every_task_has_an_owner(path: Path) -> None:
    """Only the supervisor starts tasks; a TaskGroup owns its own."""
    if path == APP / "core" / "tasks.py":
        return
    starters = [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in ("create_task", "ensure_future")
        and "group" not in ast.unparse(node.value)
    ]
    assert not starters


def patterns_in(path: Path) -> Iterator[str]:
    """Patterns that a function of this module makes of anything but letters in the code."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in PATTERN_MAKERS:
                put_in = [n for n in ast.walk(node.args[0]) if isinstance(n, ast.FormattedValue)]
                is_escaped = all(ast.unparse(n.value).startswith("re.escape(") for n in put_in)
                is_text = isinstance(node.args[0], ast.Constant | ast.JoinedStr)
                if not is_text or not is_escaped:
                    yield f"{name_of(path)}:{node.lineno}: {ast.unparse(node)}"


@pytest.mark.weakness(48)
def test_no_pattern_is_made_of_what_a_user_wrote() -> None:
    """It could take for ever to find nothing: patterns stand in the code, words are escaped."""
    found = [line for path in sources(APP, UI) for line in patterns_in(path)]
    # Names of a prompt's inputs, which are letters only.
    assert [line for line in found if "(?:{spelled})" not in line] == []


def test_tests_are_no_packages() -> None:
    """With importlib mode two test files may have one name; an __init__.py would undo that."""
    assert not list((CHECKOUT / "tests").rglob("__init__.py"))


def tracked_texts() -> Iterator[tuple[str, str]]:
    # The checkout may belong to somebody else, as in a container.
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"],
        cwd=CHECKOUT,
        capture_output=True,
        check=True,
        timeout=30,
    )
    for name in listed.stdout.decode().split("\0"):
        path = CHECKOUT / name
        if not name or not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" not in content[:8000]:
            yield name, content.decode("utf-8")


def test_the_project_speaks_only_of_itself() -> None:
    """No path of a developer's machine and no host of a package index in any tracked file."""
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in tracked_texts()
        for number, line in enumerate(text.splitlines(), 1)
        if HOME_PATHS.search(line) or REGISTRY_HOSTS.search(line)
    ]
    assert not found, "\n".join(found)


SPECIFICATIONS = CHECKOUT / "resources" / "spec"
CITED = re.compile(r"(?:\b(?:spec/)?([a-z-]+\.md)|\b[Ss]pec),? §(\d+(?:\.\d+)?)")


def sections(path: Path) -> set[str]:
    return set(re.findall(r"^#+ (\d+(?:\.\d+)?)\b", path.read_text(encoding="utf-8"), re.M))


def test_each_citation_of_a_specification_leads_to_a_section() -> None:
    """A bare "spec" is smart-memory.md, as resources/architecture.md says."""
    there = {path.name: sections(path) for path in SPECIFICATIONS.glob("*.md")}
    lost = [
        f"{name_of(path)}: {found[0]}"
        for path in sources(APP, UI, CHECKOUT / "tests")
        for found in CITED.finditer(path.read_text(encoding="utf-8"))
        if found[2] not in there.get(found[1] or "smart-memory.md", ())
    ]
    assert lost == []


LONGEST_MODULE = 450  # lines
LARGEST_PACKAGE = 20  # modules beside its __init__.py
LONGEST_FUNCTION = 60  # lines
MOST_PARAMETERS = 6  # beside self; more have a reason right above them


def test_no_module_is_longer_than_a_reader_can_keep_in_mind() -> None:
    lengths = {
        name_of(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in sources(APP, UI)
    }
    longer = {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE}
    assert longer == {}


def test_no_package_has_more_modules_than_a_reader_can_look_through() -> None:
    folders = {path.parent for path in sources(APP, UI)}
    sizes = {name_of(folder): len([*folder.glob("[!_]*.py")]) for folder in folders}
    assert {name: size for name, size in sizes.items() if size > LARGEST_PACKAGE} == {}


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_no_function_is_longer_than_a_page() -> None:
    longer = [
        f"{name_of(path)}:{function.lineno}: {function.name}"
        for path in sources(APP, UI)
        for function in functions(path)
        if (function.end_lineno or 0) - function.lineno + 1 > LONGEST_FUNCTION
    ]
    assert longer == []


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = function.args
    names = (a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs))
    return sum(name not in ("self", "cls") for name in names)


def test_many_parameters_have_a_reason_beside_them() -> None:
    without = []
    for path in sources(APP, UI):
        lines = path.read_text(encoding="utf-8").splitlines()
        for function in functions(path):
            count = parameters(function)
            first = min((function.lineno, *(d.lineno for d in function.decorator_list)))
            if count > MOST_PARAMETERS and f"# {count} parameters: " not in lines[first - 2]:
                without.append(f"{name_of(path)}:{function.lineno}: {function.name} has {count}")
    assert without == []


# Where arcs themselves are the matter: row, summaries, trial, and what others left of them.
ABOUT_ARCS = {
    *("app/memory/tiers/arcs.py", "app/memory/arcs/arc_summaries.py"),
    *("app/work/planning/document_planner.py", "app/prompt/material.py"),
    *("app/llm/writers/memory_trial.py", "app/views/memory_trial.py"),
    "app/sillytavern/extensions/smart_memory_records.py",
}


def test_what_is_peculiar_to_a_tier_stands_in_its_row() -> None:
    """Else another tier with open threads has to be named in twenty places."""
    naming = {name_of(path) for path in sources(APP, UI) if "Tier.ARCS" in path.read_text("utf-8")}
    assert naming == ABOUT_ARCS
