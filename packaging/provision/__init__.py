"""Makes a checkout ready to run: environment, system libraries and what the tests need."""
