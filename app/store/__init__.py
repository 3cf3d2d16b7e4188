"""The database: one thread, tables, migrations and queries that give frozen data."""
