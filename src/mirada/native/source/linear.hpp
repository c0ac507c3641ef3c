// Maps of states in int8: y = W x + b.
//
// A weight is w = q · unit, one unit for each row of W; a state is rounded the same way, one unit for each state, when it
// comes (CTranslate2 does so too, so that the numbers of its exports serve). The processor multiplies unsigned by signed
// bytes, four at a time, and adds them up in 32 bits: states are shifted by 128, and 128 · Σ q is taken off again.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "vectors.hpp"

namespace mirada {

constexpr int QUAD = 4;                        // bytes that one instruction multiplies and adds up in a lane
constexpr int VECTORS = 4;                     // of outputs that a tile has side by side
constexpr int PANEL = VECTORS * LANES;         // outputs of a tile
constexpr int TILE_ROWS = 6;                   // 6 × 4 sums, 4 weights and a state fill the 32 registers
constexpr std::size_t QUAD_BYTES = PANEL * QUAD;

// States that are rounded.
class Rounded {
  public:
    void resize(int rows, int width) {
        rows_ = rows;
        width_ = width;
        stride_ = rounded_up(width, 64);
        bytes_.of(static_cast<std::size_t>(rows) * stride_);
        units_.of(rows);
    }
    int rows() const { return rows_; }
    int width() const { return width_; }
    int stride() const { return stride_; }
    const std::uint8_t* bytes() const { return bytes_.data(); }
    const float* units() const { return units_.data(); }

    void set(int row, const float* x) {
        __m512 most = _mm512_setzero_ps();
        for (int i = 0; i < width_; i += LANES)
            most = _mm512_max_ps(most, _mm512_abs_ps(_mm512_maskz_loadu_ps(lanes(width_ - i), x + i)));
        const float top = _mm512_reduce_max_ps(most);
        units_.data()[row] = top / 127.0f;
        const __m512 scale = _mm512_set1_ps(top > 0 ? 127.0f / top : 0.0f);
        const __m512i shift = _mm512_set1_epi32(128);
        std::uint8_t* bytes = bytes_.data() + static_cast<std::size_t>(row) * stride_;
        for (int i = 0; i < width_; i += LANES) {
            const __m512 scaled = _mm512_mul_ps(_mm512_maskz_loadu_ps(lanes(width_ - i), x + i), scale);
            const __m512i whole = _mm512_add_epi32(_mm512_cvtps_epi32(scaled), shift);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes + i), _mm512_cvtepi32_epi8(whole));
        }
    }

  private:
    int rows_ = 0, width_ = 0, stride_ = 0;
    Buffer<std::uint8_t> bytes_;
    Buffer<float> units_;
};

// What becomes of a product.
enum class Then { STORE, ADD, RELU };

class Linear {
  public:
    Linear() = default;

    // `scales` are 1 / unit, as CTranslate2 writes them.
    Linear(const std::int8_t* weights, const float* scales, const float* bias, int outputs, int inputs)
        : outputs_(outputs), inputs_(inputs), quads_((inputs + QUAD - 1) / QUAD) {
        const int padded = rounded_up(outputs, PANEL);
        units_.assign(padded, 0.0f);
        bias_.assign(padded, 0.0f);
        shifted_.assign(padded, 0);
        std::int8_t* packed = packed_.of(static_cast<std::size_t>(padded) * quads_ * QUAD);
        std::memset(packed, 0, static_cast<std::size_t>(padded) * quads_ * QUAD);
        for (int output = 0; output < outputs; ++output) {
            units_[output] = 1.0f / scales[output];
            bias_[output] = bias == nullptr ? 0.0f : bias[output];
            const std::int8_t* row = weights + static_cast<std::size_t>(output) * inputs;
            std::int32_t sum = 0;
            for (int input = 0; input < inputs; ++input) {
                packed[place(output, input)] = row[input];
                sum += row[input];
            }
            shifted_[output] = -128 * sum;
        }
    }

    int outputs() const { return outputs_; }
    int inputs() const { return inputs_; }

    // y[r] = W x[r] + b, or what `then` says; the rows of y are `stride` floats apart.
    void apply(const Rounded& x, float* y, std::size_t stride, Then then = Then::STORE) const {
        switch (then) {
            case Then::STORE: return panels<Then::STORE>(x, y, stride);
            case Then::ADD: return panels<Then::ADD>(x, y, stride);
            case Then::RELU: return panels<Then::RELU>(x, y, stride);
        }
    }

  private:
    // Where a weight stands: 64 outputs together, of these four inputs of each output after another.
    std::size_t place(int output, int input) const {
        const std::size_t panel = output / PANEL, within = output % PANEL;
        return (panel * quads_ + input / QUAD) * QUAD_BYTES + within * QUAD + input % QUAD;
    }

    // A panel of weights stays in the first cache while all states pass by.
    template <Then THEN>
    void panels(const Rounded& x, float* y, std::size_t stride) const {
        for (int first = 0; first < outputs_; first += PANEL) {
            int row = 0;
            for (; row + TILE_ROWS <= x.rows(); row += TILE_ROWS) tile<TILE_ROWS, THEN>(x, row, first, y, stride);
            switch (x.rows() - row) {
                case 5: tile<5, THEN>(x, row, first, y, stride); break;
                case 4: tile<4, THEN>(x, row, first, y, stride); break;
                case 3: tile<3, THEN>(x, row, first, y, stride); break;
                case 2: tile<2, THEN>(x, row, first, y, stride); break;
                case 1: tile<1, THEN>(x, row, first, y, stride); break;
                default: break;
            }
        }
    }

    template <int ROWS, Then THEN>
    void tile(const Rounded& x, int row, int first, float* y, std::size_t stride) const {
        const std::uint8_t* states = x.bytes() + static_cast<std::size_t>(row) * x.stride();
        const std::int8_t* weights = packed_.data() + static_cast<std::size_t>(first / PANEL) * quads_ * QUAD_BYTES;
        __m512i sums[ROWS][VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; ++v) {
            const __m512i shifted = _mm512_loadu_si512(shifted_.data() + first + v * LANES);
#pragma GCC unroll 6
            for (int r = 0; r < ROWS; ++r) sums[r][v] = shifted;
        }
        for (int quad = 0; quad < quads_; ++quad, weights += QUAD_BYTES) {
            __m512i w[VECTORS];
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; ++v) w[v] = _mm512_load_si512(weights + v * 64);
#pragma GCC unroll 6
            for (int r = 0; r < ROWS; ++r) {
                std::int32_t four;
                std::memcpy(&four, states + static_cast<std::size_t>(r) * x.stride() + quad * QUAD, QUAD);
                const __m512i state = _mm512_set1_epi32(four);
#pragma GCC unroll 4
                for (int v = 0; v < VECTORS; ++v) sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], state, w[v]);
            }
        }
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; ++v) {
            const int column = first + v * LANES;
            if (column >= outputs_) break;
            const __mmask16 real = lanes(outputs_ - column);
            const __m512 units = _mm512_loadu_ps(units_.data() + column), bias = _mm512_loadu_ps(bias_.data() + column);
#pragma GCC unroll 6
            for (int r = 0; r < ROWS; ++r) {
                float* out = y + static_cast<std::size_t>(row + r) * stride + column;
                const __m512 unit = _mm512_mul_ps(units, _mm512_set1_ps(x.units()[row + r]));
                __m512 z = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums[r][v]), unit, bias);
                if (THEN == Then::ADD) z = _mm512_add_ps(z, _mm512_maskz_loadu_ps(real, out));
                if (THEN == Then::RELU) z = _mm512_max_ps(z, _mm512_setzero_ps());
                _mm512_mask_storeu_ps(out, real, z);
            }
        }
    }

    int outputs_ = 0, inputs_ = 0, quads_ = 0;
    Buffer<std::int8_t> packed_;
    std::vector<float> units_, bias_;
    std::vector<std::int32_t> shifted_;
};

}  // namespace mirada
