// Rotary positions: pairs of numbers turned by angles that grow with the place.
#pragma once

#include "looks.hpp"

namespace mirada {

// The first half of a head's numbers is paired with the second; of each place there are `width / 2` cosines and sines.
struct Turn {
    std::int32_t rows, heads, places, width;
    Strides strides;  // of what is turned, and of what it becomes
};

// A negative sign turns back.
inline void turn(const Turn& sizes, const Number* x, const float* cosines, const float* sines, float sign, Number* y) {
    const int half = sizes.width / 2;
    for (int row = 0; row < sizes.rows; ++row)
        for (int place = 0; place < sizes.places; ++place)
            for (int head = 0; head < sizes.heads; ++head) {
                const std::int64_t first = row * sizes.strides.row + head * sizes.strides.head + place * sizes.strides.place;
                for (int i = 0; i < half; i += LANES) {
                    const __mmask16 real = lanes(half - i);
                    const std::size_t angle = static_cast<std::size_t>(place) * half + i;
                    const __m512 cosine = _mm512_maskz_loadu_ps(real, cosines + angle);
                    const __m512 sine = _mm512_mul_ps(_mm512_maskz_loadu_ps(real, sines + angle), _mm512_set1_ps(sign));
                    const __m512 one = load_numbers(x + first + i, real), other = load_numbers(x + first + half + i, real);
                    store_numbers(y + first + i, real, _mm512_fmsub_ps(one, cosine, _mm512_mul_ps(other, sine)));
                    store_numbers(y + first + half + i, real, _mm512_fmadd_ps(other, cosine, _mm512_mul_ps(one, sine)));
                }
            }
}

}  // namespace mirada
