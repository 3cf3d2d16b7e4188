"""Which setting names the model of each kind of work."""

from __future__ import annotations

from collections.abc import Mapping

from app.core.operations import OperationKind
from app.settings.models import MODEL_SETTINGS

MODEL_OF: Mapping[OperationKind, str] = {
    OperationKind.MESSAGE_RECAP: "model_message_recaps",
    OperationKind.SCENE_RECAP: "model_scene_recaps",
    OperationKind.RUNNING_RECAP: "model_running_recap",
    OperationKind.MEMORY_PASS: "model_memory",
    OperationKind.ARC_SUMMARY: "model_texts",
    OperationKind.PROFILE: "model_texts",
    OperationKind.CANON: "model_texts",
    OperationKind.SUMMARY: "model_texts",
    OperationKind.TRIGGERS: "model_texts",
    OperationKind.UPKEEP: "model_memory",
    OperationKind.AWAY: "model_memory",
    OperationKind.CONTINUITY: "model_checks",
    OperationKind.DETECT_BREAKS: "model_scene_breaks",
}


def model_label(kind: OperationKind) -> str:
    """What the settings call the model of a kind of work; untranslated."""
    name = MODEL_OF[kind]
    return next(setting.label for setting in MODEL_SETTINGS if setting.name == name)
