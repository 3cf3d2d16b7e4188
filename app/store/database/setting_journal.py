"""Lets what is set be taken back: records the inverse of each change of a setting, of any scope.

A setting has no number as the rows of the other journalled tables have, so their triggers do not
fit it. These live as long as the connection does; values are JSON, so quote() never meets a NUL.
"""

from __future__ import annotations

_IS_RECORDED = "(SELECT entry_id FROM undo_recording) IS NOT NULL"
_RECORD = (
    "INSERT INTO undo_statement (entry_id, statement) "
    "VALUES ((SELECT entry_id FROM undo_recording), {statement});"
)
_KEY = (
    "' WHERE scope = ' || quote({row}.scope) || ' AND scope_id = ' || quote({row}.scope_id) "
    "|| ' AND name = ' || quote({row}.name)"
)
# Undo never takes along what was set since.
_UNTOUCHED = " || ' AND value IS ' || quote(NEW.value)"


def _trigger(command: str, statement: str, when: str = "") -> str:
    return (
        f"CREATE TEMP TRIGGER IF NOT EXISTS setting_{command} AFTER {command} ON setting "
        f"WHEN {_IS_RECORDED}{when} BEGIN {_RECORD.format(statement=statement)} END"
    )


SETTING_TRIGGERS = (
    _trigger("insert", f"'DELETE FROM setting' || {_KEY.format(row='NEW')}{_UNTOUCHED}"),
    _trigger(
        "update",
        f"'UPDATE setting SET value = ' || quote(OLD.value) || {_KEY.format(row='NEW')}"
        + _UNTOUCHED,
        " AND OLD.value IS NOT NEW.value",
    ),
    _trigger(
        "delete",
        "'INSERT OR IGNORE INTO setting (scope, scope_id, name, value) VALUES (' "
        "|| quote(OLD.scope) || ', ' || quote(OLD.scope_id) || ', ' || quote(OLD.name) || ', ' "
        "|| quote(OLD.value) || ')'",
    ),
)
