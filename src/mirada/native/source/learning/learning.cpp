// What Python calls of the operations that a model learns with (see native/learning.py): 0, or −1 with a reason.
#include "../guarded.hpp"
#include "looks.hpp"
#include "loss.hpp"
#include "maps.hpp"
#include "noise.hpp"
#include "norms.hpp"
#include "orthogonal.hpp"
#include "turns.hpp"

using namespace mirada;

namespace {

// What an operation needs besides input and output is kept by each thread that calls it.
thread_local MapSpace maps;
thread_local Looking looking;
thread_local Loss loss;
thread_local Orthogonal orthogonal;
thread_local Buffer<float> sums;

Narrowed narrowed_to(Number* data, int rows, int columns) {
    return {data, static_cast<std::size_t>(columns), rows, columns};
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// What Python compares with its own number. Raise both with any change of what is called below, of `Look` or of `Turn`.
std::int32_t mirada_version() { return 5; }

const char* mirada_reason() { return reason.c_str(); }

// y = f(x Wᵀ + b); `entered` is what f was given, where the gradient needs it (GELU).
int mirada_map(const Number* x, std::int32_t rows, std::int32_t inputs, std::int32_t outputs, const Number* weight,
               const Number* bias, std::int32_t activation, Number* y, Number* entered) {
    return guarded([&] {
        const Mapped then{y, entered, bias, rows, outputs, static_cast<Activation>(activation)};
        return map(maps, matrix(x, rows, inputs), matrix(weight, outputs, inputs), then), 0;
    }, -1);
}

// The gradients of up to four maps of the same states; that of the states where it is wanted.
int mirada_maps_back(const Number* x, std::int32_t rows, std::int32_t inputs, std::int32_t count,
                     const std::int32_t* outputs, const Number* const* weights, const Number* const* gradients,
                     Number* const* to_weights, Number* const* to_biases, Number* to_x) {
    return guarded([&] {
        Matrix falls[MOST_MAPS];
        Learnt learnt[MOST_MAPS];
        for (int n = 0; n < count; ++n) {
            falls[n] = matrix(gradients[n], rows, outputs[n]);
            learnt[n] = {weights[n], to_weights[n], to_biases[n], outputs[n], inputs};
        }
        learn(maps, matrix(x, rows, inputs), falls, learnt, count);
        if (to_x != nullptr) ask_back(maps, falls, learnt, count, narrowed_to(to_x, rows, inputs));
        return 0;
    }, -1);
}

// The gradients of V f(W x + b) + c; `inner` is what left f, `entered` what f was given (GELU).
int mirada_feed_forward_back(const Number* x, const Number* inner, const Number* entered, const Number* gradient,
                             std::int32_t rows, std::int32_t width, std::int32_t wide, std::int32_t activation,
                             const Number* weight, const Number* output_weight, Number* to_weight, Number* to_bias,
                             Number* to_output_weight, Number* to_output_bias, Number* to_x) {
    return guarded([&] {
        const Matrix falls = matrix(gradient, rows, width);
        const Learnt output{output_weight, to_output_weight, to_output_bias, width, wide};
        const Learnt input{weight, to_weight, to_bias, wide, width};
        Number* on_inner = maps.inner.of(static_cast<std::size_t>(rows) * wide);
        const Number* seen = entered == nullptr ? inner : entered;
        ask_back(maps, &falls, &output, 1, Entered{on_inner, seen, rows, wide, static_cast<Activation>(activation)});
        learn(maps, matrix(inner, rows, wide), &falls, &output, 1);
        const Matrix entering = matrix(on_inner, rows, wide);
        learn(maps, matrix(x, rows, width), &entering, &input, 1);
        if (to_x != nullptr) ask_back(maps, &entering, &input, 1, narrowed_to(to_x, rows, width));
        return 0;
    }, -1);
}

int mirada_norm(const Number* x, const Number* gain, const Number* shift, float epsilon, std::int32_t rows,
                std::int32_t width, Number* y, float* mean, float* inverse) {
    return norm(Normed{x, gain, mean, inverse, rows, width}, shift, epsilon, y), 0;
}

int mirada_norm_back(const Number* x, const Number* gain, float* mean, float* inverse, const Number* gradient,
                     std::int32_t rows, std::int32_t width, Number* to_x, Number* to_gain, Number* to_shift) {
    return guarded([&] {
        float* both = sums.of(2 * static_cast<std::size_t>(width));
        norm_back(Normed{x, gain, mean, inverse, rows, width}, gradient, to_x, both, both + width);
        narrow(both, width, to_gain);
        narrow(both + width, width, to_shift);
        return 0;
    }, -1);
}

// x + dropout(y), or dropout(y) where x is null.
int mirada_drop(const Number* x, const Number* y, Number* answer, std::int64_t count, std::uint64_t key,
                std::int32_t threshold) {
    return drop(x, y, answer, count, key, threshold), 0;
}

int mirada_turn(const Turn* sizes, const Number* x, const float* cosines, const float* sines, float sign, Number* y) {
    return turn(*sizes, x, cosines, sines, sign, y), 0;
}

// `query_starts` and `key_starts` say where each packed sequence begins and the last ends, or are null.
int mirada_look(const Look* look, const std::int32_t* query_starts, const std::int32_t* key_starts, const Number* queries,
                const Number* keys, const Number* values, const std::uint8_t* mask, Number* answer, float* logs) {
    const Starts starts{query_starts, key_starts};
    return guarded([&] { return looking.run(*look, starts, queries, keys, values, mask, answer, logs), 0; }, -1);
}

int mirada_look_back(const Look* look, const std::int32_t* query_starts, const std::int32_t* key_starts,
                     const Number* queries, const Number* keys, const Number* values, const std::uint8_t* mask,
                     const float* logs, const Number* gradient, Number* to_queries, Number* to_keys, Number* to_values) {
    return guarded([&] {
        const Starts starts{query_starts, key_starts};
        looking.back(*look, starts, queries, keys, values, mask, logs, gradient, to_queries, to_keys, to_values);
        return 0;
    }, -1);
}

// The sum of the cross-entropies of all places, and its gradients.
int mirada_loss(const Number* states, std::int32_t rows, std::int32_t width, const Number* weight, const Number* bias,
                std::int32_t tokens, const std::int64_t* targets, float smoothing, Number* to_states, Number* to_weight,
                Number* to_bias, double* total) {
    return guarded([&] {
        *total = loss.run({matrix(states, rows, width), matrix(weight, tokens, width), bias, targets, smoothing, to_states,
                           to_weight, to_bias});
        return 0;
    }, -1);
}

// In place; see orthogonal.hpp.
int mirada_orthogonal(Number* y, std::int32_t rows, std::int32_t columns, const Polynomial* by, std::int32_t steps) {
    return guarded([&] { return orthogonal.run(y, rows, columns, by, steps), 0; }, -1);
}

}  // extern "C"
#pragma GCC visibility pop
