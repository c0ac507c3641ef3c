// Layer norm of states, with its gradient: y = (x − mean) / deviation · gain + shift.
#pragma once

#include "numbers.hpp"

namespace mirada {

struct Normed {
    const Number* x;
    const Number* gain;
    float* mean;     // of each row
    float* inverse;  // of each row's deviation
    int rows, width;

    const Number* row(int number) const { return x + static_cast<std::size_t>(number) * width; }
};

inline void norm(const Normed& states, const Number* shift, float epsilon, Number* y) {
    const float share = 1.0f / static_cast<float>(states.width);
    for (int r = 0; r < states.rows; ++r, y += states.width) {
        const Number* x = states.row(r);
        __m512 sum = _mm512_setzero_ps(), squares = _mm512_setzero_ps();
        for (int i = 0; i < states.width; i += LANES) sum = _mm512_add_ps(sum, load_numbers(x + i, lanes(states.width - i)));
        const float mean = _mm512_reduce_add_ps(sum) * share;
        for (int i = 0; i < states.width; i += LANES) {
            const __mmask16 real = lanes(states.width - i);
            const __m512 z = _mm512_maskz_sub_ps(real, load_numbers(x + i, real), _mm512_set1_ps(mean));
            squares = _mm512_fmadd_ps(z, z, squares);
        }
        const float inverse = 1.0f / std::sqrt(_mm512_reduce_add_ps(squares) * share + epsilon);
        for (int i = 0; i < states.width; i += LANES) {
            const __mmask16 real = lanes(states.width - i);
            const __m512 z = _mm512_sub_ps(load_numbers(x + i, real), _mm512_set1_ps(mean));
            const __m512 gain = _mm512_mul_ps(load_numbers(states.gain + i, real), _mm512_set1_ps(inverse));
            store_numbers(y + i, real, _mm512_fmadd_ps(z, gain, load_numbers(shift + i, real)));
        }
        states.mean[r] = mean;
        states.inverse[r] = inverse;
    }
}

// With z the normed states and g = gradient · gain: to x go (g − mean g − z · mean(g z)) / deviation.
inline void norm_back(const Normed& states, const Number* gradient, Number* to_x, float* to_gain, float* to_shift) {
    const float share = 1.0f / static_cast<float>(states.width);
    std::fill(to_gain, to_gain + states.width, 0.0f);
    std::fill(to_shift, to_shift + states.width, 0.0f);
    for (int r = 0; r < states.rows; ++r, gradient += states.width, to_x += states.width) {
        const Number* x = states.row(r);
        const __m512 mean = _mm512_set1_ps(states.mean[r]), inverse = _mm512_set1_ps(states.inverse[r]);
        __m512 sum = _mm512_setzero_ps(), product = _mm512_setzero_ps();
        for (int i = 0; i < states.width; i += LANES) {
            const __mmask16 real = lanes(states.width - i);
            const __m512 z = _mm512_mul_ps(_mm512_sub_ps(load_numbers(x + i, real), mean), inverse);
            const __m512 falls = load_numbers(gradient + i, real);
            const __m512 g = _mm512_mul_ps(falls, load_numbers(states.gain + i, real));
            sum = _mm512_add_ps(sum, g);
            product = _mm512_fmadd_ps(g, z, product);
            const __m512 gain = _mm512_fmadd_ps(falls, z, _mm512_maskz_loadu_ps(real, to_gain + i));
            _mm512_mask_storeu_ps(to_gain + i, real, gain);
            _mm512_mask_storeu_ps(to_shift + i, real, _mm512_add_ps(falls, _mm512_maskz_loadu_ps(real, to_shift + i)));
        }
        const __m512 mean_g = _mm512_set1_ps(_mm512_reduce_add_ps(sum) * share);
        const __m512 mean_product = _mm512_set1_ps(_mm512_reduce_add_ps(product) * share);
        for (int i = 0; i < states.width; i += LANES) {
            const __mmask16 real = lanes(states.width - i);
            const __m512 z = _mm512_mul_ps(_mm512_sub_ps(load_numbers(x + i, real), mean), inverse);
            const __m512 g = _mm512_mul_ps(load_numbers(gradient + i, real), load_numbers(states.gain + i, real));
            const __m512 rest = _mm512_fnmadd_ps(z, mean_product, _mm512_sub_ps(g, mean_g));
            store_numbers(to_x + i, real, _mm512_mul_ps(rest, inverse));
        }
    }
}

}  // namespace mirada
