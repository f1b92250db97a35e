"""Schedulers: the pod groups of a workload in the form that a scheduler takes.

- `model.py` is what a renderer is given and what it gives back, both plain data; `names.py`, `shapes.py` and `trees.py`
  have what several of them need;
- `kai.py`, `volcano.py`, `coscheduling.py`, `yunikorn.py`, `kueue.py` and `native.py` know one scheduler each, and none
  knows another, with `kueue_sets.py` for a part of `kueue.py`;
- `render.py` knows which there are, and puts the answer of any into one document; `pods.py` binds pods that are there,
  and `patch.py` the templates of the workload.

A scheduler is added by one module with `VERSIONS` and `render`, and one line in `render.py`.
"""
