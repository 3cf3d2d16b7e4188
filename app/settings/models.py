"""Which model does which kind of work, where one for everything is not what the user wants."""

from __future__ import annotations

from app.core.translation import N_
from app.settings.setting import Setting

AS_ABOVE = ""  # the model for everything

MODEL_SETTINGS = (
    Setting(
        "model_message_recaps",
        AS_ABOVE,
        N_("Model for message recaps"),
        N_("Many short requests: a small and cheap model does."),
    ),
    Setting(
        "model_scene_recaps",
        AS_ABOVE,
        N_("Model for scene recaps"),
        N_("One request for each scene."),
    ),
    Setting(
        "model_running_recap",
        AS_ABOVE,
        N_("Model for the running recap"),
        N_("Few requests, read in each prompt: the best model."),
    ),
    Setting(
        "model_memory",
        AS_ABOVE,
        N_("Model for memory"),
        N_("What reads the story for what is to be remembered."),
    ),
    Setting(
        "model_texts",
        AS_ABOVE,
        N_("Model for profiles, canon and summaries"),
        N_("Longer texts made of what is remembered."),
    ),
    Setting(
        "model_checks",
        AS_ABOVE,
        N_("Model for checks"),
        N_("What compares a reply with what is remembered."),
    ),
    Setting(
        "model_scene_breaks",
        AS_ABOVE,
        N_("Model for scene breaks"),
        N_("What looks for the ends of scenes."),
    ),
)

KIND_MODELS = frozenset(setting.name for setting in MODEL_SETTINGS)
