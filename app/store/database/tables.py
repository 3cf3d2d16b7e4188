"""The tables as peewee sees them. Peewee stays inside this package."""

from __future__ import annotations

from typing import Any

import peewee
from peewee import CharField, FloatField, IntegerField, TextField


class Chat(peewee.Model):
    path = TextField(unique=True)
    integrity = TextField(default="")
    is_acquainted = IntegerField(default=0)
    first_seen = FloatField()


class KnownMessage(peewee.Model):
    chat_id = IntegerField()
    anchor = CharField()
    position = IntegerField()
    identity = CharField()
    weak_identity = CharField()
    content_hash = CharField()

    class Meta:
        primary_key = peewee.CompositeKey("chat_id", "anchor")


class SceneBreak(peewee.Model):
    chat_id = IntegerField()
    anchor = CharField()
    origin = CharField()
    cue = CharField()
    confidence = FloatField()
    name = TextField()
    is_visible = IntegerField()
    is_collapsed = IntegerField()
    rationale = TextField(default="")
    is_named = IntegerField(default=0)


class SearchedRange(peewee.Model):
    chat_id = IntegerField()
    first = CharField()
    last = CharField()
    shown_first = CharField()
    shown_last = CharField()
    digest = CharField()
    searcher = CharField()
    is_forced = IntegerField()


class SceneRecap(peewee.Model):
    chat_id = IntegerField()
    anchor = CharField()
    version = IntegerField()
    name = TextField()
    text = TextField()
    source_digest = CharField()
    made_by = TextField()
    created = FloatField()
    stored = TextField(default="")
    is_deleted = IntegerField(default=0)
    combined_at = FloatField(null=True)


class SceneRecapChoice(peewee.Model):
    chat_id = IntegerField()
    anchor = CharField()
    version = IntegerField()


class RunningVersion(peewee.Model):
    chat_id = IntegerField()
    version = IntegerField()
    content = TextField()
    scene_count = IntegerField()
    first_anchor = CharField()
    last_anchor = CharField()
    made_by = TextField()
    created = FloatField()
    reason = CharField()
    is_deleted = IntegerField(default=0)
    is_retired = IntegerField(default=0)


class RunningChoice(peewee.Model):
    chat_id = IntegerField(unique=True)
    version = IntegerField()


class MessageRecap(peewee.Model):
    chat_id = IntegerField()
    anchor = CharField()
    text = TextField()
    is_excluded = IntegerField()
    is_remembered = IntegerField()
    is_edited = IntegerField()
    error = TextField()
    source_hash = CharField()
    reasoning = TextField(default="")
    prefill = TextField(default="")
    absence = CharField(default="")
    swipe = IntegerField(default=0)
    taken_from = CharField(default="")


class Cleared(peewee.Model):
    chat_id = IntegerField()
    anchor = CharField()
    kind = CharField()
    value = TextField()


class Operation(peewee.Model):
    chat_id = IntegerField()
    kind = CharField()
    key = CharField()
    anchor = CharField()
    label = TextField()
    priority = IntegerField()
    params = TextField()
    status = CharField()
    attempts = IntegerField()
    error = TextField()
    created = FloatField()
    started = FloatField(null=True)
    finished = FloatField(null=True)
    not_before = FloatField()
    prompt_tokens = IntegerField()
    output_tokens = IntegerField()
    requests = IntegerField(default=0)
    backend = TextField()
    moved_rank = IntegerField(null=True)
    moved_place = FloatField(null=True)
    pauses_before = IntegerField(default=0)


class OperationNeed(peewee.Model):
    operation_id = IntegerField()
    key = CharField()
    is_required = IntegerField()

    class Meta:
        primary_key = peewee.CompositeKey("operation_id", "key")


class CatchUp(peewee.Model):
    chat_id = IntegerField(primary_key=True)
    begun = FloatField()
    backend = TextField()
    is_stopped = IntegerField()
    part = TextField(default="")
    agreed = IntegerField(default=0)
    agreed_tokens = IntegerField(default=0)


class Activity(peewee.Model):
    chat_id = IntegerField(primary_key=True)
    last_active = FloatField()


class Result(peewee.Model):
    key = CharField(primary_key=True)
    value = TextField()
    created = FloatField()


class TokenCount(peewee.Model):
    content_hash = CharField()
    encoding = CharField()
    tokens = IntegerField()

    class Meta:
        primary_key = peewee.CompositeKey("content_hash", "encoding")


class Setting(peewee.Model):
    scope = CharField()
    scope_id = CharField()
    name = CharField()
    value = TextField()

    class Meta:
        primary_key = peewee.CompositeKey("scope", "scope_id", "name")


class Draft(peewee.Model):
    chat_id = IntegerField()
    kind = CharField()
    anchor = CharField()
    text = TextField()
    base = IntegerField(null=True)
    saved = FloatField()

    class Meta:
        primary_key = peewee.CompositeKey("chat_id", "kind", "anchor")


class UndoEntry(peewee.Model):
    chat_id = IntegerField()
    label = TextField()
    direction = CharField()
    created = FloatField()


class Tables:
    """The models of one database, so that two databases in one process never meet.

    The schema itself is owned by the migrations.
    """

    def __init__(self, database: peewee.SqliteDatabase) -> None:
        def bound(model: type[peewee.Model]) -> Any:
            meta = type("Meta", (), {"database": database, "legacy_table_names": False})
            return type(model.__name__, (model,), {"Meta": meta})

        self.Chat = bound(Chat)
        self.KnownMessage = bound(KnownMessage)
        self.SceneBreak = bound(SceneBreak)
        self.SearchedRange = bound(SearchedRange)
        self.SceneRecap = bound(SceneRecap)
        self.SceneRecapChoice = bound(SceneRecapChoice)
        self.RunningVersion = bound(RunningVersion)
        self.RunningChoice = bound(RunningChoice)
        self.MessageRecap = bound(MessageRecap)
        self.Cleared = bound(Cleared)
        self.Operation = bound(Operation)
        self.OperationNeed = bound(OperationNeed)
        self.CatchUp = bound(CatchUp)
        self.Activity = bound(Activity)
        self.Result = bound(Result)
        self.TokenCount = bound(TokenCount)
        self.Setting = bound(Setting)
        self.Draft = bound(Draft)
        self.UndoEntry = bound(UndoEntry)
