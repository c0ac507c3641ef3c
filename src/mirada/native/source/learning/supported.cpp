// Whether this processor can run what models learn with. This file alone is compiled for every processor of the kind.
extern "C" __attribute__((visibility("default"))) int mirada_supported() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bf16");
}
