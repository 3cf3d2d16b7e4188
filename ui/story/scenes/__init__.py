"""The scenes beside a story: navigator, strip, and what their colours mean."""
