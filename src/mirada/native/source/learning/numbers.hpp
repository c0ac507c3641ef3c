// The numbers that a library computes with, bf16 or float32: one source, compiled once for each (see hatch_build.py).
//
// Products take them by units of four bytes: a pair of bf16, of which the processor adds both products to a sum at once, or
// one float32. All that is between products is in float32, whatever the numbers are.
#pragma once

#include <cstdint>

#include "../vectors.hpp"

namespace mirada {

// Numbers are read as units that were written as numbers.
using Unit __attribute__((may_alias)) = std::uint32_t;

#ifdef MIRADA_FLOAT32

using Number = float;
constexpr Unit ONES = 0x3F800000;

inline __m512 load_numbers(const Number* x, __mmask16 real) { return _mm512_maskz_loadu_ps(real, x); }
inline void store_numbers(Number* x, __mmask16 real, __m512 y) { _mm512_mask_storeu_ps(x, real, y); }

// As it will be when it was stored.
inline __m512 rounded(__m512 x) { return x; }
inline float widened(Number x) { return x; }
inline Number narrowed(float x) { return x; }

// Sixteen units of a row, of which this many numbers are left.
inline __m512i load_units(const Number* x, int left) {
    return _mm512_castps_si512(_mm512_maskz_loadu_ps(lanes(std::max(0, left)), x));
}

inline __m512 add_products(__m512 sum, __m512i x, __m512i y) {
    return _mm512_fmadd_ps(_mm512_castsi512_ps(x), _mm512_castsi512_ps(y), sum);
}

// Sixteen units of numbers that stand below each other.
inline __m512i joined(const __m512 (&numbers)[1]) { return _mm512_castps_si512(numbers[0]); }

// Sixteen columns of units from a row of the matrix, of which this many are left; then the next sixteen.
inline void join_rows(const Number* x, std::size_t, int, int columns, Unit* out) {
    _mm512_store_si512(out, load_units(x, columns));
    _mm512_store_si512(out + LANES, load_units(x + LANES, columns - LANES));
}

// Sixteen numbers, each in four bytes.
inline __m512i load_spread(const Number* x, __mmask16 real) { return _mm512_castps_si512(load_numbers(x, real)); }
inline void store_spread(Number* x, __mmask16 real, __m512i y) { store_numbers(x, real, _mm512_castsi512_ps(y)); }

#else

using Number = std::uint16_t;  // the upper half of a float32
constexpr Unit ONES = 0x3F803F80;

inline __m512 widened(__m256i x) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16)); }
inline __m256i narrowed(__m512 x) { return (__m256i)_mm512_cvtneps_pbh(x); }

inline __m512 load_numbers(const Number* x, __mmask16 real) { return widened(_mm256_maskz_loadu_epi16(real, x)); }
inline void store_numbers(Number* x, __mmask16 real, __m512 y) { _mm256_mask_storeu_epi16(x, real, narrowed(y)); }

inline __m512 rounded(__m512 x) { return widened(narrowed(x)); }
inline float widened(Number x) { return _mm512_cvtss_f32(widened(_mm256_set1_epi16(static_cast<short>(x)))); }
inline Number narrowed(float x) {
    return static_cast<Number>(_mm256_extract_epi16(narrowed(_mm512_set1_ps(x)), 0));
}

inline __mmask32 words(int left) { return left >= 32 ? 0xFFFFFFFFu : left <= 0 ? 0u : (1u << left) - 1u; }

inline __m512i load_units(const Number* x, int left) { return _mm512_maskz_loadu_epi16(words(left), x); }

inline __m512 add_products(__m512 sum, __m512i x, __m512i y) { return _mm512_dpbf16_ps(sum, (__m512bh)x, (__m512bh)y); }

inline __m512i joined(const __m512 (&numbers)[2]) {
    const __m512i below = _mm512_slli_epi32(_mm512_cvtepu16_epi32(narrowed(numbers[1])), 16);
    return _mm512_or_si512(_mm512_cvtepu16_epi32(narrowed(numbers[0])), below);
}

inline void join_rows(const Number* x, std::size_t stride, int rows, int columns, Unit* out) {
    const __m512i upper = load_units(x, columns), lower = rows > 1 ? load_units(x + stride, columns) : _mm512_setzero_si512();
    // Unpacking works in quarters of a vector: `low` has columns 0–3, 8–11, 16–19, 24–27, `high` the others.
    const __m512i low = _mm512_unpacklo_epi16(upper, lower), high = _mm512_unpackhi_epi16(upper, lower);
    const __m512i left = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i right = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    _mm512_store_si512(out, _mm512_permutex2var_epi64(low, left, high));
    _mm512_store_si512(out + LANES, _mm512_permutex2var_epi64(low, right, high));
}

inline __m512i load_spread(const Number* x, __mmask16 real) {
    return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(real, x));
}
inline void store_spread(Number* x, __mmask16 real, __m512i y) {
    _mm256_mask_storeu_epi16(x, real, _mm512_cvtepi32_epi16(y));
}

#endif

constexpr int IN_UNIT = sizeof(Unit) / sizeof(Number);
constexpr int LINE_NUMBERS = 64 / sizeof(Number);  // of a cache line

inline void narrow(const float* x, std::size_t count, Number* y) {
    for (std::size_t i = 0; i < count; i += LANES) {
        const __mmask16 real = lanes(static_cast<int>(std::min<std::size_t>(LANES, count - i)));
        store_numbers(y + i, real, _mm512_maskz_loadu_ps(real, x + i));
    }
}

}  // namespace mirada
