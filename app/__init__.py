"""Everything Tavernkeep knows and does, without a window."""

import os

# numpy's OpenBLAS reads this when it is loaded. Its threads spin while they wait for one another:
# beside a model that uses the processor, a product of matrices takes ten times as long with them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
