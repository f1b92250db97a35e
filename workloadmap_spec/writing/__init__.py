"""Writing (clause S20): workloads are scaled, suspended, resumed, and fields of their templates set.

- `update.py` makes the changed object of an intent, the form of which is in `intents.py`;
- `targets.py` finds where a value is written, `template_fields.py` where a field of a pod template is, and
  `immutable.py` what cannot be;
- `edits.py` changes the object, `patches.py` says what has changed, and `text.py` changes a file in place.
"""
