"""The one database: opened, migrated, repaired, and kept going on a full disk."""
