// Dropout whose bits are a function of a key and a place, so that no mask is kept: backward they are made again.
#pragma once

#include "numbers.hpp"

namespace mirada {

constexpr int BYTES = 64;  // of a vector; one byte decides about one number

// 64 bytes by chance, the same for the same key and number: a counter in each lane, mixed twice (Wellons' lowbias32).
inline __m512i chance(std::uint64_t key, std::uint64_t number) {
    const __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const std::uint64_t start = number * LANES;
    const auto mixed = [](__m512i x) {
        x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 16));
        x = _mm512_mullo_epi32(x, _mm512_set1_epi32(0x7feb352d));
        x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 15));
        x = _mm512_mullo_epi32(x, _mm512_set1_epi32(static_cast<int>(0x846ca68bu)));
        return _mm512_xor_si512(x, _mm512_srli_epi32(x, 16));
    };
    const auto lower = static_cast<int>(static_cast<std::uint32_t>(key) ^ static_cast<std::uint32_t>(start >> 32));
    __m512i x = _mm512_add_epi32(places, _mm512_set1_epi32(static_cast<int>(static_cast<std::uint32_t>(start))));
    x = mixed(_mm512_add_epi32(x, _mm512_set1_epi32(lower)));
    return mixed(_mm512_xor_si512(x, _mm512_set1_epi32(static_cast<int>(static_cast<std::uint32_t>(key >> 32)))));
}

// x + y · mask, where a number of y is dropped if its byte is below the threshold, and scaled if not; without x, y alone.
inline void drop(const Number* x, const Number* y, Number* answer, std::int64_t count, std::uint64_t key, int threshold) {
    const __m512i least = _mm512_set1_epi8(static_cast<char>(threshold));
    const __m512 scale = _mm512_set1_ps(256.0f / static_cast<float>(256 - threshold));
    for (std::int64_t first = 0; first < count; first += BYTES) {
        const __mmask64 kept = _mm512_cmpge_epu8_mask(chance(key, static_cast<std::uint64_t>(first / BYTES)), least);
        for (int i = 0; i < BYTES && first + i < count; i += LANES) {
            const __mmask16 real = lanes(static_cast<int>(std::min<std::int64_t>(LANES, count - first - i)));
            const __m512 z = _mm512_mul_ps(load_numbers(y + first + i, real), scale);
            const __m512 way = x == nullptr ? _mm512_setzero_ps() : load_numbers(x + first + i, real);
            store_numbers(answer + first + i, real, _mm512_mask_add_ps(way, static_cast<__mmask16>(kept >> i), way, z));
        }
    }
}

}  // namespace mirada
