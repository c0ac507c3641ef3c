// Rows of floats, sixteen at a time: the small operations between products of matrices.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace mirada {

constexpr int LANES = 16;

inline int rounded_up(int count, int step) { return (count + step - 1) / step * step; }

// The lanes of a vector that hold one of `left` numbers.
inline __mmask16 lanes(int left) {
    return left >= LANES ? static_cast<__mmask16>(0xFFFF) : static_cast<__mmask16>((1u << left) - 1u);
}

// Memory that begins at a cache line, grows, and is not given back before its end. What it held is lost when it grows.
template <class T>
class Buffer {
  public:
    T* of(std::size_t size) {
        if (size > size_) {
            data_.reset();
            size_ = 0;
            const std::size_t bytes = (size * sizeof(T) + LINE - 1) / LINE * LINE;
            data_.reset(static_cast<T*>(std::aligned_alloc(LINE, bytes)));
            if (!data_) throw std::bad_alloc();
            size_ = size;
        }
        return data_.get();
    }
    T* data() const { return data_.get(); }

  private:
    static constexpr std::size_t LINE = 64;  // bytes of a cache line

    struct Free {
        void operator()(T* data) const { std::free(data); }
    };

    std::unique_ptr<T[], Free> data_;
    std::size_t size_ = 0;
};

// What is looked at is kept in 16 bits, 11 of them digits: half the memory to read, and finer than what is rounded to int8.
using Half = std::uint16_t;

inline __m512 load(const Half* x, __mmask16 real) { return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(real, x)); }

inline void store(Half* x, __mmask16 real, __m512 y) {
    _mm256_mask_storeu_epi16(x, real, _mm512_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

inline void halve(const float* x, int count, Half* y) {
    for (int i = 0; i < count; i += LANES) {
        const __mmask16 real = lanes(count - i);
        store(y + i, real, _mm512_maskz_loadu_ps(real, x + i));
    }
}

// Σ weight · value over `length` rows of `count` numbers; value(n) is where row n begins. Four vectors at a time, so that
// a weight is spread once for all of them and no sum waits for the one before it.
template <class Value>
inline void mix(Value value, const float* weights, int length, int count, float* answer) {
    constexpr int SIDE = 4;
    for (int first = 0; first < count; first += SIDE * LANES) {
        __mmask16 real[SIDE];
        __m512 sums[SIDE];
#pragma GCC unroll 4
        for (int v = 0; v < SIDE; ++v) {
            real[v] = lanes(std::max(0, count - first - v * LANES));
            sums[v] = _mm512_setzero_ps();
        }
        for (int n = 0; n < length; ++n) {
            const Half* row = value(n) + first;
            const __m512 weight = _mm512_set1_ps(weights[n]);
#pragma GCC unroll 4
            for (int v = 0; v < SIDE; ++v) sums[v] = _mm512_fmadd_ps(weight, load(row + v * LANES, real[v]), sums[v]);
        }
#pragma GCC unroll 4
        for (int v = 0; v < SIDE; ++v) _mm512_mask_storeu_ps(answer + first + v * LANES, real[v], sums[v]);
    }
}

// exp(x) for x ≤ 88, with a relative error of 2e-7; 0 or nearly so for what is below −87. What is no number stays so.
inline __m512 exponential(__m512 x) {
    x = _mm512_max_ps(_mm512_set1_ps(-87.0f), x);
    const __m512 power = _mm512_mul_ps(x, _mm512_set1_ps(1.44269504f));
    const __m512 whole = _mm512_roundscale_ps(power, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m512 rest = _mm512_sub_ps(power, whole);  // −½ … ½; 2^rest by the polynomial that is least far off, 7.5e-8
    __m512 y = _mm512_set1_ps(1.32764718e-3f);
    y = _mm512_fmadd_ps(y, rest, _mm512_set1_ps(9.67554133e-3f));
    y = _mm512_fmadd_ps(y, rest, _mm512_set1_ps(5.55071327e-2f));
    y = _mm512_fmadd_ps(y, rest, _mm512_set1_ps(2.40221197e-1f));
    y = _mm512_fmadd_ps(y, rest, _mm512_set1_ps(6.93146967e-1f));
    y = _mm512_fmadd_ps(y, rest, _mm512_set1_ps(1.0f));
    return _mm512_scalef_ps(y, whole);
}

// The sums of four vectors, in order.
inline __m128 sums_of(__m512 a, __m512 b, __m512 c, __m512 d) {
    const __m512 ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    const __m512 cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    const __m512 all = _mm512_add_ps(_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xEE));
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
}

// The largest of each of a row's stretches of `BLOCK` numbers; the largest of all.
constexpr int BLOCK = 8 * LANES;

inline float largest_of_blocks(const float* x, int count, float* blocks) {
    const __m512 least = _mm512_set1_ps(-INFINITY);
    __m512 top = least;
    for (int first = 0; first < count; first += BLOCK) {
        __m512 most = least;
        for (int i = first; i < std::min(count, first + BLOCK); i += LANES)
            most = _mm512_max_ps(most, _mm512_mask_loadu_ps(least, lanes(count - i), x + i));
        *blocks++ = _mm512_reduce_max_ps(most);
        top = _mm512_max_ps(top, most);
    }
    return _mm512_reduce_max_ps(top);
}

inline float largest(const float* x, int count) {
    const __m512 least = _mm512_set1_ps(-INFINITY);
    __m512 most = least;
    for (int i = 0; i < count; i += LANES)
        most = _mm512_max_ps(most, _mm512_mask_loadu_ps(least, lanes(count - i), x + i));
    return _mm512_reduce_max_ps(most);
}

// Σ exp(x − top), where top is the largest.
inline float sum_of_exponentials(const float* x, int count, float top) {
    const __m512 shift = _mm512_set1_ps(top);
    __m512 sum = _mm512_setzero_ps();
    for (int i = 0; i < count; i += LANES) {
        const __mmask16 real = lanes(count - i);
        const __m512 y = exponential(_mm512_sub_ps(_mm512_maskz_loadu_ps(real, x + i), shift));
        sum = _mm512_mask_add_ps(sum, real, sum, y);
    }
    return _mm512_reduce_add_ps(sum);
}

inline void softmax(float* x, int count) {
    const float top = largest(x, count);
    const __m512 shift = _mm512_set1_ps(top);
    __m512 sum = _mm512_setzero_ps();
    for (int i = 0; i < count; i += LANES) {
        const __mmask16 real = lanes(count - i);
        const __m512 y = exponential(_mm512_sub_ps(_mm512_maskz_loadu_ps(real, x + i), shift));
        _mm512_mask_storeu_ps(x + i, real, y);
        sum = _mm512_mask_add_ps(sum, real, sum, y);
    }
    const __m512 share = _mm512_set1_ps(1.0f / _mm512_reduce_add_ps(sum));
    for (int i = 0; i < count; i += LANES) {
        const __mmask16 real = lanes(count - i);
        _mm512_mask_storeu_ps(x + i, real, _mm512_mul_ps(_mm512_maskz_loadu_ps(real, x + i), share));
    }
}

}  // namespace mirada
