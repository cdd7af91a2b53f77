"""Item vectors in files, and catalogues larger than memory.

The operating system reads a memory-mapped file page by page as it is searched. Processes that map the same file share
its pages, and pages that are not in use are dropped when memory is short.
"""
