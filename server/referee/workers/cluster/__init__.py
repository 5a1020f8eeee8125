"""A cluster: matches of hosted bots on several machines, as tasks of dask.distributed.

Only this package imports dask, inside functions or in modules that are loaded when a cluster is asked for: without the
extra `referee-arena[cluster]` everything else works.
"""
