"""The first run in four steps: SillyTavern, the bridge, a model, the first chat."""
