// Whether this processor can run what models learn with. This file alone is compiled for every processor of the kind.
extern "C" __attribute__((visibility("default"))) int mirada_supported() {
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#ifdef MIRADA_FLOAT32
    return wide;
#else
    return wide && __builtin_cpu_supports("avx512bf16");
#endif
}
