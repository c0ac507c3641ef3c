// The cross-entropy of states against the tokens that should be said, with its gradients, some places at a time.
//
// With z the logits of a place, t its target, s the smoothing and T tokens: e = exp(z − z_t) is all that is kept of the
// logits, since −log p_t = log Σ e. A place costs log Σ e + s · (z_t − mean z), and the slope of a logit is e / Σ e − s / T,
// of the target's 1 / Σ e − s / T − (1 − s). The division and − s / T are left to what the products of e become. A place that
// costs 69 nats or more is computed again, with the largest logit in the place of z_t.
#pragma once

#include "maps.hpp"

namespace mirada {

constexpr int PLACES_AT_ONCE = 256;  // whose e are held; fewer would write the gradient of the weights more often
constexpr float FAR = 1e30f;         // a sum of e above this may have left the range of float32, or leave it soon

struct Saying {
    Matrix states, weight;
    const Number* bias;
    const std::int64_t* targets;
    float smoothing;
    Number* to_states;
    Number* to_weight;
    Number* to_bias;

    float uniform() const { return smoothing / static_cast<float>(weight.rows); }
};

class Loss {
  public:
    // The sum of what all places cost; gradients are those of the sum.
    double run(const Saying& saying) {
        prepare(saying);
        double total = 0;
        for (int first = 0; first < saying.states.rows; first += PLACES_AT_ONCE)
            total += say(saying, saying.states.part(first, PLACES_AT_ONCE), first);
        finish(saying);
        return total;
    }

  private:
    void prepare(const Saying& saying) {
        const int tokens = saying.weight.rows, width = saying.weight.columns;
        stride_ = rounded_up(tokens, PANEL);
        raised_.of(stride_ * PLACES_AT_ONCE);
        sums_.of(PLACES_AT_ONCE * LANES);
        wanted_.of(PLACES_AT_ONCE);
        shares_.of(PLACES_AT_ONCE);
        narrow_shares_.of(PLACES_AT_ONCE);
        scaled_.of(static_cast<std::size_t>(PLACES_AT_ONCE) * width);
        grown_.of(static_cast<std::size_t>(tokens) * width);
        bias_grown_.of(stride_);
        std::fill_n(states_sum_.of(rounded_up(width, LANES)), rounded_up(width, LANES), 0.0f);
        forward_.set_transpose(saying.weight);
        backward_.set(saying.weight);
        add_rows(backward_, nullptr, weight_sum_.of(rounded_up(width, PANEL)), true);
        bias_mean_ = 0;
        for (int t = 0; t < tokens; ++t) bias_mean_ += widened(saying.bias[t]) / static_cast<float>(tokens);
    }

    double say(const Saying& saying, const Matrix& states, int first) {
        const int tokens = saying.weight.rows, width = saying.weight.columns;
        const std::int64_t* targets = saying.targets + first;
        double total = 0;
        for (int r = 0; r < states.rows; ++r) {
            wanted_.data()[r] = dot(states.row(r), saying.weight.row(static_cast<int>(targets[r])), width) +
                                widened(saying.bias[targets[r]]);
            _mm512_store_ps(sums_.data() + r * LANES, _mm512_setzero_ps());
        }
        multiply(states, forward_,
                 Raised{raised_.data(), stride_, saying.bias, wanted_.data(), sums_.data(), states.rows, tokens});
        for (int r = 0; r < states.rows; ++r) total += settle(saying, states.row(r), r, targets[r]);
        const Matrix raised{raised_.data(), stride_, states.rows, tokens};
        multiply(raised, backward_, ToStates{saying.to_states + static_cast<std::size_t>(first) * width, states.rows, width,
                                             shares_.data(), weight_sum_.data(), saying.uniform()});
        left_.set(raised);
        right_.set({scaled_.data(), static_cast<std::size_t>(width), states.rows, width});
        multiply_transpose(left_, right_, Grown{grown_.data(), tokens, width, first == 0});
        if (states.rows % IN_UNIT) narrow_shares_.data()[states.rows] = 0;
        add_rows(left_, reinterpret_cast<const Unit*>(narrow_shares_.data()), bias_grown_.data(), first == 0);
        return total;
    }

    // What a place costs; then its target's slope, and its state as the gradient of the weights needs it.
    double settle(const Saying& saying, const Number* state, int r, std::int64_t target) {
        const int tokens = saying.weight.rows, width = saying.weight.columns;
        float sum = _mm512_reduce_add_ps(_mm512_load_ps(sums_.data() + r * LANES));
        const float above = sum > FAR ? raise_again(saying, state, r, &sum) - wanted_.data()[r] : 0.0f;
        const float share = 1.0f / sum;
        Number* raised = raised_.data() + r * stride_;
        raised[target] = narrowed(std::exp(-above) - (1.0f - saying.smoothing) * sum);
        if (tokens % IN_UNIT) raised[tokens] = 0;  // whole units are read
        shares_.data()[r] = share;
        narrow_shares_.data()[r] = narrowed(share);
        __m512 product = _mm512_setzero_ps();
        for (int i = 0; i < width; i += LANES) {
            const __mmask16 real = lanes(width - i);
            const __m512 x = load_numbers(state + i, real);
            product = _mm512_fmadd_ps(x, _mm512_load_ps(weight_sum_.data() + i), product);
            _mm512_store_ps(states_sum_.data() + i, _mm512_add_ps(x, _mm512_load_ps(states_sum_.data() + i)));
            store_numbers(scaled_.data() + static_cast<std::size_t>(r) * width + i, real, _mm512_mul_ps(x, _mm512_set1_ps(share)));
        }
        const float mean = _mm512_reduce_add_ps(product) / static_cast<float>(tokens) + bias_mean_;
        return std::log(static_cast<double>(sum)) + above + saying.smoothing * (wanted_.data()[r] - mean);
    }

    // e of a place from its largest logit on, which is given back, and their sum.
    float raise_again(const Saying& saying, const Number* state, int r, float* sum) {
        const int tokens = saying.weight.rows;
        Number* raised = raised_.data() + r * stride_;
        float* logits = logits_.of(tokens);
        for (int t = 0; t < tokens; ++t)
            logits[t] = dot(state, saying.weight.row(t), saying.weight.columns) + widened(saying.bias[t]);
        const float top = largest(logits, tokens);
        *sum = sum_of_exponentials(logits, tokens, top);
        for (int t = 0; t < tokens; t += LANES) {
            const __mmask16 real = lanes(tokens - t);
            const __m512 above = _mm512_sub_ps(_mm512_maskz_loadu_ps(real, logits + t), _mm512_set1_ps(top));
            store_numbers(raised + t, real, exponential(above));
        }
        return top;
    }

    void finish(const Saying& saying) {
        const int tokens = saying.weight.rows, width = saying.weight.columns;
        const __m512 uniform = _mm512_set1_ps(saying.uniform());
        for (int t = 0; t < tokens; ++t)
            for (int i = 0; i < width; i += LANES) {
                const __mmask16 real = lanes(width - i);
                const std::size_t at = static_cast<std::size_t>(t) * width + i;
                const __m512 all = _mm512_load_ps(states_sum_.data() + i);
                store_numbers(saying.to_weight + at, real,
                           _mm512_fnmadd_ps(uniform, all, _mm512_maskz_loadu_ps(real, grown_.data() + at)));
            }
        const __m512 each = _mm512_set1_ps(saying.uniform() * static_cast<float>(saying.states.rows));
        for (int t = 0; t < tokens; t += LANES)
            store_numbers(saying.to_bias + t, lanes(tokens - t), _mm512_sub_ps(_mm512_load_ps(bias_grown_.data() + t), each));
    }

    static float dot(const Number* x, const Number* y, int width) {
        __m512 sum = _mm512_setzero_ps();
        for (int i = 0; i < width; i += LANES * IN_UNIT)
            sum = add_products(sum, load_units(x + i, width - i), load_units(y + i, width - i));
        return _mm512_reduce_add_ps(sum);
    }

    // exp(logit − the target's), and their sums, sixteen for each place.
    struct Raised {
        Number* data;
        std::size_t stride;
        const Number* bias;
        const float* wanted;
        float* sums;
        int rows, columns;

        template <int ROWS>
        void operator()(const Sums<ROWS>& products, int row, int column) const {
            each_vector(products, row, column, rows, columns, [&](__m512 sum, int r, int c, __mmask16 real) {
                const __m512 above = _mm512_sub_ps(_mm512_add_ps(sum, load_numbers(bias + c, real)), _mm512_set1_ps(wanted[r]));
                const __m512 y = _mm512_maskz_mov_ps(real, exponential(above));
                store_numbers(data + r * stride + c, real, y);
                _mm512_store_ps(sums + r * LANES, _mm512_add_ps(y, _mm512_load_ps(sums + r * LANES)));
            });
        }
    };

    struct ToStates {
        Number* data;
        int rows, columns;
        const float* shares;
        const float* weight_sum;
        float uniform;

        template <int ROWS>
        void operator()(const Sums<ROWS>& sums, int row, int column) const {
            each_vector(sums, row, column, rows, columns, [&](__m512 sum, int r, int c, __mmask16 real) {
                const __m512 even = _mm512_mul_ps(_mm512_set1_ps(uniform), _mm512_load_ps(weight_sum + c));
                store_numbers(data + static_cast<std::size_t>(r) * columns + c, real,
                           _mm512_fmsub_ps(sum, _mm512_set1_ps(shares[r]), even));
            });
        }
    };

    std::size_t stride_ = 0;
    float bias_mean_ = 0;
    Panels forward_, backward_, left_, right_;
    Buffer<Number> raised_, scaled_, narrow_shares_;
    Buffer<float> sums_, wanted_, shares_, logits_, grown_, bias_grown_, states_sum_, weight_sum_;
};

}  // namespace mirada
