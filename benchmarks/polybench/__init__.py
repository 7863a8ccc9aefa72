"""PolyBench's 30 kernels as programs of tensor expressions, beside loops and NumPy."""

from polybench import data_mining, medley, products, solvers, stencils, vectors
from polybench.kernel import Kernel

KERNELS: dict[str, Kernel] = {
    **products.KERNELS,
    **vectors.KERNELS,
    **data_mining.KERNELS,
    **solvers.KERNELS,
    **stencils.KERNELS,
    **medley.KERNELS,
}
