// Numbers in bf16: the upper half of a float32, of which the processor multiplies pairs.
#pragma once

#include <cstdint>

#include "../vectors.hpp"

namespace mirada {

using Bf16 = std::uint16_t;

inline __m512 widened(__m256i x) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16)); }
inline __m256i narrowed(__m512 x) { return (__m256i)_mm512_cvtneps_pbh(x); }

inline __m512 load_bf16(const Bf16* x, __mmask16 real) { return widened(_mm256_maskz_loadu_epi16(real, x)); }
inline void store_bf16(Bf16* x, __mmask16 real, __m512 y) { _mm256_mask_storeu_epi16(x, real, narrowed(y)); }

inline float widened(Bf16 x) { return _mm512_cvtss_f32(widened(_mm256_set1_epi16(static_cast<short>(x)))); }

inline void narrow(const float* x, std::size_t count, Bf16* y) {
    for (std::size_t i = 0; i < count; i += LANES) {
        const __mmask16 real = lanes(static_cast<int>(std::min<std::size_t>(LANES, count - i)));
        store_bf16(y + i, real, _mm512_maskz_loadu_ps(real, x + i));
    }
}

}  // namespace mirada
