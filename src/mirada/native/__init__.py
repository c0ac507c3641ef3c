"""An engine of our own for rounded models, in C++ (`source/`), for processors that multiply bytes (AVX-512 VNNI).

It is compiled when mirada is installed (`hatch_build.py`), where there is a compiler; all works without it, slower.
"""
