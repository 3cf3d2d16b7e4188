"""Which model does which kind of work, where one for everything is not what the user wants."""

from __future__ import annotations

from app.core.translation import N_
from app.settings.groups import Group, settings_of
from app.settings.setting import Setting

AS_ABOVE = ""  # the model for everything


class ModelSettings(Group):
    """Which model does which kind of work; AS_ABOVE for the one for everything."""

    model_message_recaps = Setting(
        "model_message_recaps",
        AS_ABOVE,
        N_("Model for message recaps"),
        N_("Many short requests: a small, cheap model is enough."),
    )
    model_scene_recaps = Setting(
        "model_scene_recaps",
        AS_ABOVE,
        N_("Model for scene recaps"),
        N_("One request per scene."),
    )
    model_running_recap = Setting(
        "model_running_recap",
        AS_ABOVE,
        N_("Model for the running recap"),
        N_("At most one request per scene, but its text is in every prompt: use your best model."),
    )
    model_memory = Setting(
        "model_memory",
        AS_ABOVE,
        N_("Model for memory"),
        N_("Reads the story and notes what to remember."),
    )
    model_texts = Setting(
        "model_texts",
        AS_ABOVE,
        N_("Model for profiles, canon and summaries"),
        N_("Longer texts made from memories."),
    )
    model_checks = Setting(
        "model_checks",
        AS_ABOVE,
        N_("Model for checks"),
        N_("Compares a reply with what is remembered."),
    )
    model_scene_breaks = Setting(
        "model_scene_breaks",
        AS_ABOVE,
        N_("Model for scene breaks"),
        N_("Looks for the ends of scenes."),
    )


MODEL_SETTINGS = settings_of(ModelSettings)

KIND_MODELS = frozenset(setting.name for setting in MODEL_SETTINGS)
