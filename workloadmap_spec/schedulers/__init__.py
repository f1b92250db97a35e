"""Schedulers: the pod groups of a workload in the form that a scheduler takes.

- `model.py` is what a renderer is given and what it gives back, both plain data; `shapes.py` has what several ask;
- every other module but the last three knows one scheduler, and none of them knows another;
- `render.py` knows which there are, and puts their answer into one document; `pods.py` binds pods that are there, and
  `patch.py` the templates of the workload.

A scheduler is added by one module with `VERSIONS` and `render`, and one line in `render.py`.
"""
