"""Text from language models: backends, retries and the built-in way without one."""
