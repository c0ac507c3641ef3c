// Linear maps of states and what is made of two of them, the feed-forward layer, with their gradients.
#pragma once

#include "products.hpp"

namespace mirada {

constexpr int ROWS_AT_ONCE = 1'024;  // of states whose share of a weight's gradient is added up in registers

enum class Activation : std::int32_t { NONE, RELU, GELU };

// Φ(x) of the normal distribution and its density, by Abramowitz and Stegun 7.1.26; at most 1.5e-7 off.
struct Normal {
    __m512 below, density;

    explicit Normal(__m512 x) {
        const __m512 one = _mm512_set1_ps(1.0f), size = _mm512_mul_ps(_mm512_abs_ps(x), _mm512_set1_ps(0.70710678f));
        const __m512 falls = exponential(_mm512_mul_ps(_mm512_mul_ps(x, x), _mm512_set1_ps(-0.5f)));
        const __m512 t = _mm512_div_ps(one, _mm512_fmadd_ps(size, _mm512_set1_ps(0.3275911f), one));
        __m512 y = _mm512_set1_ps(1.061405429f);
        y = _mm512_fmadd_ps(y, t, _mm512_set1_ps(-1.453152027f));
        y = _mm512_fmadd_ps(y, t, _mm512_set1_ps(1.421413741f));
        y = _mm512_fmadd_ps(y, t, _mm512_set1_ps(-0.284496736f));
        y = _mm512_fmadd_ps(y, t, _mm512_set1_ps(0.254829592f));
        const __m512 tail = _mm512_mul_ps(_mm512_mul_ps(y, t), _mm512_mul_ps(falls, _mm512_set1_ps(0.5f)));
        const __mmask16 negative = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ);
        below = _mm512_mask_mov_ps(_mm512_sub_ps(one, tail), negative, tail);
        density = _mm512_mul_ps(falls, _mm512_set1_ps(0.39894228f));
    }
};

// y = f(x Wᵀ + b). Where f is GELU, what enters it is kept, too, for the gradient.
struct Mapped {
    Number* data;
    Number* entered;
    const Number* bias;  // null for none
    int rows, columns;
    Activation activation;

    template <int ROWS>
    void operator()(const Sums<ROWS>& sums, int row, int column) const {
        each_vector(sums, row, column, rows, columns, [&](__m512 sum, int r, int c, __mmask16 real) {
            const std::size_t at = static_cast<std::size_t>(r) * columns + c;
            if (bias != nullptr) sum = _mm512_add_ps(sum, load_numbers(bias + c, real));
            if (activation == Activation::RELU) sum = _mm512_max_ps(_mm512_setzero_ps(), sum);  // no number stays none
            if (activation == Activation::GELU) {
                store_numbers(entered + at, real, sum);
                const __m512 x = rounded(sum);  // so that the gradient is that of what was computed
                sum = _mm512_mul_ps(x, Normal(x).below);
            }
            store_numbers(data + at, real, sum);
        });
    }
};

// The gradient of what enters an activation, from that of what leaves it. `seen` is what left (ReLU) or entered (GELU).
struct Entered {
    Number* data;
    const Number* seen;
    int rows, columns;
    Activation activation;

    template <int ROWS>
    void operator()(const Sums<ROWS>& sums, int row, int column) const {
        each_vector(sums, row, column, rows, columns, [&](__m512 sum, int r, int c, __mmask16 real) {
            const std::size_t at = static_cast<std::size_t>(r) * columns + c;
            const __m512 x = load_numbers(seen + at, real);
            if (activation == Activation::RELU)
                sum = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ), sum);
            else {
                const Normal normal(x);
                sum = _mm512_mul_ps(sum, _mm512_fmadd_ps(x, normal.density, normal.below));
            }
            store_numbers(data + at, real, sum);
        });
    }
};

// Adds the sum of all rows of a matrix to `sums`, or begins with it; each row times its share where there are shares,
// of which those of a unit's rows are a unit.
inline void add_rows(const Panels& x, const Unit* shares, float* sums, bool afresh) {
    for (int number = 0; number < x.count(); ++number, sums += PANEL) {
        const Unit* units = x.panel(number);
        __m512 left = afresh ? _mm512_setzero_ps() : _mm512_load_ps(sums);
        __m512 right = afresh ? _mm512_setzero_ps() : _mm512_load_ps(sums + LANES);
        for (int p = 0; p < x.units(); ++p, units += PANEL) {
            const __m512i times = _mm512_set1_epi32(static_cast<int>(shares == nullptr ? ONES : shares[p]));
            left = add_products(left, times, _mm512_load_si512(units));
            right = add_products(right, times, _mm512_load_si512(units + LANES));
        }
        _mm512_store_ps(sums, left);
        _mm512_store_ps(sums + LANES, right);
    }
}

// A weight matrix and where its gradient goes.
struct Learnt {
    const Number* weight;
    Number* to_weight;
    Number* to_bias;  // null for none
    int outputs, inputs;

    Matrix whole() const { return matrix(weight, outputs, inputs); }
};

constexpr int MOST_MAPS = 4;  // of the same states: queries, keys and values are three

// What a thread needs besides input and output.
struct MapSpace {
    Panels weights[MOST_MAPS], states, gradients;
    Buffer<float> grown[MOST_MAPS], sums[MOST_MAPS];
    Buffer<Number> inner;
};

inline void map(MapSpace& space, const Matrix& x, const Matrix& weight, const Mapped& then) {
    space.weights[0].set_transpose(weight);
    multiply(x, space.weights[0], then);
}

// Gradients of the weights and biases of maps of the same states.
inline void learn(MapSpace& space, const Matrix& x, const Matrix* gradients, const Learnt* maps, int count) {
    const bool once = x.rows <= ROWS_AT_ONCE;
    for (int first = 0; first < x.rows; first += ROWS_AT_ONCE) {
        space.states.set(x.part(first, ROWS_AT_ONCE));
        for (int n = 0; n < count; ++n) {
            const int outputs = maps[n].outputs, inputs = maps[n].inputs;
            space.gradients.set(gradients[n].part(first, ROWS_AT_ONCE));
            add_rows(space.gradients, nullptr, space.sums[n].of(rounded_up(outputs, PANEL)), first == 0);
            if (once) {
                const Narrowed then{maps[n].to_weight, static_cast<std::size_t>(inputs), outputs, inputs};
                multiply_transpose(space.gradients, space.states, then);
            } else {
                float* grown = space.grown[n].of(static_cast<std::size_t>(outputs) * inputs);
                multiply_transpose(space.gradients, space.states, Grown{grown, outputs, inputs, first == 0});
            }
        }
    }
    for (int n = 0; n < count; ++n) {
        const std::size_t size = static_cast<std::size_t>(maps[n].outputs) * maps[n].inputs;
        if (!once) narrow(space.grown[n].data(), size, maps[n].to_weight);
        if (maps[n].to_bias != nullptr) narrow(space.sums[n].data(), maps[n].outputs, maps[n].to_bias);
    }
}

// The gradient of the states that several maps read: Σ gradient · W.
template <class Then>
inline void ask_back(MapSpace& space, const Matrix* gradients, const Learnt* maps, int count, const Then& then) {
    Factor factors[MOST_MAPS];
    for (int n = 0; n < count; ++n) {
        space.weights[n].set(maps[n].whole());
        factors[n] = {gradients[n], &space.weights[n]};
    }
    multiply(factors, count, then);
}

}  // namespace mirada
