// The iteration of Newton and Schulz that brings all singular values of a matrix near to one (training/muon.py).
#pragma once

#include "products.hpp"

namespace mirada {

// A product and another matrix of its size, each times a number, rounded to bf16; the other may be where the answer goes.
struct Blended {
    Number* data;
    const Number* other;
    int rows, columns;
    float times, other_times;

    template <int ROWS>
    void operator()(const Sums<ROWS>& sums, int row, int column) const {
        each_vector(sums, row, column, rows, columns, [&](__m512 sum, int r, int c, __mmask16 real) {
            const std::size_t at = static_cast<std::size_t>(r) * columns + c;
            const __m512 added = _mm512_mul_ps(load_numbers(other + at, real), _mm512_set1_ps(other_times));
            store_numbers(data + at, real, _mm512_fmadd_ps(sum, _mm512_set1_ps(times), added));
        });
    }
};

// What a step of the iteration multiplies a matrix, its cube and its fifth power with.
struct Polynomial {
    float first, third, fifth;

    // The same of a matrix divided by this length.
    Polynomial of_one_so_long(float length) const {
        const float square = length * length;
        return {first / length, third / (length * square), fifth / (length * square * square)};
    }
};

class Orthogonal {
  public:
    // y ← a y + (b S + c S²) y with S = y yᵀ, for each polynomial; the first is of y / √‖S‖. Numbers of rows and of
    // columns are even.
    void run(Number* y, int rows, int columns, const Polynomial* by, int steps) {
        const std::size_t size = static_cast<std::size_t>(rows) * rows;
        Number *squared = squared_.of(size), *mixed = mixed_.of(size);
        const Matrix whole = matrix(y, rows, columns), square = matrix(squared, rows, rows), mix = matrix(mixed, rows, rows);
        for (int step = 0; step < steps; ++step) {
            right_.set_transpose(whole);
            multiply_symmetric(whole, right_, Narrowed{squared, square.stride, rows, rows});
            mirror(squared, rows);
            const Polynomial now = step ? by[step] : by[0].of_one_so_long(std::sqrt(norm(squared, size)));
            right_.set(square);
            multiply_symmetric(square, right_, Blended{mixed, squared, rows, rows, now.fifth, now.third});
            mirror(mixed, rows);
            right_.set(whole);
            multiply(mix, right_, Blended{y, y, rows, columns, 1.0f, now.first});
        }
    }

  private:
    Panels right_;
    Buffer<Number> squared_, mixed_;

    // The root of the sum of all squares, and of what is nearly nothing a little more.
    static float norm(const Number* x, std::size_t size) {
        __m512 sum = _mm512_setzero_ps();
        for (std::size_t at = 0; at < size; at += LANES) {
            const __m512 some = load_numbers(x + at, lanes(static_cast<int>(std::min<std::size_t>(LANES, size - at))));
            sum = _mm512_fmadd_ps(some, some, sum);
        }
        return std::max(std::sqrt(_mm512_reduce_add_ps(sum)), LEAST_NORM);
    }

    static constexpr float LEAST_NORM = 1e-14f;
};

}  // namespace mirada
