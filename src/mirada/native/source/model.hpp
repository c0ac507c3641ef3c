// A Transformer that translates: its weights by the names that CTranslate2 gives them, and what its layers compute.
//
// States of all sentences lie one under another without padding; only looks know where a sentence begins. What a row
// becomes depends on nothing but its own sentence, to the bit, so that a translation does not depend on its company.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "linear.hpp"
#include "vectors.hpp"

namespace mirada {

// What the caller knows of a model before its weights; mirrored by `Shape` of library.py.
struct Shape {
    std::int32_t width, feed_forward, vocabulary;
    std::int32_t encoder_layers, encoder_heads, decoder_layers, decoder_heads;
    std::int32_t pre_norm;                        // else the norm stands behind each part
    std::int32_t root_mean_square;                // else layer norm
    std::int32_t activation;                      // 0 ReLU, 1 GELU, 2 SwiGLU
    float encoder_rotary, decoder_rotary;         // bases of the angles; 0 where places do not turn
    std::int32_t begin, end;                      // tokens
    std::int32_t places;                          // how many rows the tables of places have; 0: no tables
};

enum class Activation { RELU = 0, GELU = 1, SWIGLU = 2 };

struct Norm {
    std::vector<float> gain, shift;  // no shift: root mean square

    void apply(const float* x, float* y, int width) const {
        const bool centred = !shift.empty();
        float mean = 0;
        if (centred) {
            __m512 sum = _mm512_setzero_ps();
            for (int i = 0; i < width; i += LANES)
                sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(lanes(width - i), x + i));
            mean = _mm512_reduce_add_ps(sum) / static_cast<float>(width);
        }
        const __m512 middle = _mm512_set1_ps(mean);
        __m512 squares = _mm512_setzero_ps();
        for (int i = 0; i < width; i += LANES) {
            const __mmask16 real = lanes(width - i);
            const __m512 apart = _mm512_maskz_sub_ps(real, _mm512_maskz_loadu_ps(real, x + i), middle);
            squares = _mm512_fmadd_ps(apart, apart, squares);
        }
        const float variance = _mm512_reduce_add_ps(squares) / static_cast<float>(width);
        const __m512 scale = _mm512_set1_ps(1.0f / std::sqrt(variance + (centred ? 1e-5f : 1e-6f)));
        for (int i = 0; i < width; i += LANES) {
            const __mmask16 real = lanes(width - i);
            const __m512 apart = _mm512_sub_ps(_mm512_maskz_loadu_ps(real, x + i), middle);
            const __m512 scaled = _mm512_mul_ps(_mm512_mul_ps(apart, scale), _mm512_maskz_loadu_ps(real, &gain[i]));
            const __m512 moved = centred ? _mm512_add_ps(scaled, _mm512_maskz_loadu_ps(real, &shift[i])) : scaled;
            _mm512_mask_storeu_ps(y + i, real, moved);
        }
    }
};

struct FeedForward {
    Norm norm;
    Linear inner, gate, outer;  // the gate multiplies what the inner map gives (SwiGLU)
};

struct SelfLook {
    Norm norm;
    Linear maps, output;  // queries, keys and values of a state, one after another
};

struct SourceLook {
    Norm norm;
    Linear query, memory, output;  // keys and values of a source, one after another
};

struct EncoderLayer {
    SelfLook look;
    FeedForward feed;
};

struct DecoderLayer {
    SelfLook look;
    SourceLook source;
    FeedForward feed;
};

// What a table of tokens holds, in int8.
struct Table {
    std::vector<std::int8_t> bytes;
    std::vector<float> units;

    void row(int token, int width, float scale, float* y) const {
        const float unit = units[token] * scale;
        const std::int8_t* from = bytes.data() + static_cast<std::size_t>(token) * width;
        for (int i = 0; i < width; ++i) y[i] = static_cast<float>(from[i]) * unit;
    }
};

// What a worker needs while it computes; each has its own.
struct Scratch {
    Rounded rounded;
    Buffer<float> states, normal, wide, gate, looked, weights;
    Buffer<Half> keys, values;
};

// What the decoder looks at in one sentence: for each layer and head the keys, one coordinate of all places after
// another, in sixteens, and the values, one place after another.
struct Memory {
    int length = 0, padded = 0;
    Buffer<Half> keys, values;
};

class Model {
  public:
    explicit Model(const Shape& shape) : shape(shape), encoder(shape.encoder_layers), decoder(shape.decoder_layers) {
        const int width = shape.width;
        for (int n = 0; n < shape.encoder_layers; ++n) {
            const std::string name = "encoder/layer_" + std::to_string(n);
            expect_self(name + "/self_attention", encoder[n].look);
            expect_feed(name + "/ffn", encoder[n].feed);
        }
        for (int n = 0; n < shape.decoder_layers; ++n) {
            const std::string name = "decoder/layer_" + std::to_string(n);
            expect_self(name + "/self_attention", decoder[n].look);
            SourceLook& look = decoder[n].source;
            expect_norm(name + "/attention/layer_norm", look.norm);
            expect(name + "/attention/linear_0", look.query, width, width);
            expect(name + "/attention/linear_1", look.memory, 2 * width, width);
            expect(name + "/attention/linear_2", look.output, width, width);
            expect_feed(name + "/ffn", decoder[n].feed);
        }
        if (shape.pre_norm) {
            expect_norm("encoder/layer_norm", encoder_norm);
            expect_norm("decoder/layer_norm", decoder_norm);
        }
        expect("decoder/projection", projection, 0, width);  // as many outputs as can be said
        encoder_angles = angles(shape.encoder_rotary, shape.width / std::max(1, shape.encoder_heads));
        decoder_angles = angles(shape.decoder_rotary, shape.width / std::max(1, shape.decoder_heads));
    }

    void set_linear(const std::string& name, const std::int8_t* weights, const float* scales, const float* bias,
                    int outputs, int inputs) {
        const auto found = linears_.find(name);
        if (found == linears_.end()) throw std::invalid_argument(name + " is not a map of this model");
        const Expected<Linear>& expected = found->second;
        if ((expected.rows != 0 && outputs != expected.rows) || inputs != expected.columns || outputs < 1)
            throw std::invalid_argument(name + " has another size than the model");
        *expected.part = Linear(weights, scales, bias, outputs, inputs);
        linears_.erase(found);
    }

    void set_norm(const std::string& name, const float* gain, const float* shift, int width) {
        const auto found = norms_.find(name);
        if (found == norms_.end()) throw std::invalid_argument(name + " is not a norm of this model");
        if (width != shape.width || (shift == nullptr) != (shape.root_mean_square != 0))
            throw std::invalid_argument(name + " is another kind of norm than the model's");
        found->second->gain.assign(gain, gain + width);
        if (shift != nullptr) found->second->shift.assign(shift, shift + width);
        norms_.erase(found);
    }

    // The tokens of one side, and the places that are added to them (none: null).
    void set_tokens(bool of_encoder, const std::int8_t* weights, const float* scales, const float* places) {
        Table& table = of_encoder ? source_tokens : target_tokens;
        const std::size_t rows = shape.vocabulary;
        table.bytes.assign(weights, weights + rows * shape.width);
        table.units.resize(rows);
        for (std::size_t row = 0; row < rows; ++row) table.units[row] = 1.0f / scales[row];
        std::vector<float>& own = of_encoder ? source_places : target_places;
        if (places != nullptr) own.assign(places, places + static_cast<std::size_t>(shape.places) * shape.width);
    }

    // The tokens that the projection's outputs stand for; none: all, in order.
    void set_said(const std::int32_t* tokens, int count) {
        for (int n = 0; n < count; ++n)
            if (tokens[n] < 0 || tokens[n] >= shape.vocabulary) throw std::invalid_argument("no such token");
        said.assign(tokens, tokens + count);
    }

    // The first name whose numbers have not come; empty when all have.
    std::string missing() const {
        if (!linears_.empty()) return linears_.begin()->first;
        if (!norms_.empty()) return norms_.begin()->first;
        if (source_tokens.bytes.empty() || target_tokens.bytes.empty()) return "embeddings";
        const int outputs = said.empty() ? shape.vocabulary : static_cast<int>(said.size());
        return projection.outputs() == outputs ? "" : "decoder/projection";
    }

    // States of tokens at their places: E[token] · √width + place.
    void enter(bool of_encoder, int token, int place, float* y) const {
        const Table& table = of_encoder ? source_tokens : target_tokens;
        const std::vector<float>& own = of_encoder ? source_places : target_places;
        table.row(token, shape.width, std::sqrt(static_cast<float>(shape.width)), y);
        if (own.empty()) return;
        const float* from = own.data() + static_cast<std::size_t>(place) * shape.width;
        for (int i = 0; i < shape.width; ++i) y[i] += from[i];
    }

    // x ← x + part(norm(x)), or norm(x + part(x)): `part` reads what is rounded, and adds its answer to x.
    template <class Part>
    void around(const Norm& norm, float* x, int rows, Scratch& scratch, Part part) const {
        const int width = shape.width;
        scratch.rounded.resize(rows, width);
        float* normal = scratch.normal.of(width);
        for (int row = 0; row < rows; ++row) {
            const float* state = x + static_cast<std::size_t>(row) * width;
            if (shape.pre_norm) {
                norm.apply(state, normal, width);
                scratch.rounded.set(row, normal);
            } else {
                scratch.rounded.set(row, state);
            }
        }
        part();
        if (shape.pre_norm) return;
        for (int row = 0; row < rows; ++row) {
            float* state = x + static_cast<std::size_t>(row) * width;
            norm.apply(state, state, width);
        }
    }

    void feed(const FeedForward& layer, float* x, int rows, Scratch& scratch) const {
        around(layer.norm, x, rows, scratch, [&] {
            const int inner = shape.feed_forward;
            const std::size_t size = static_cast<std::size_t>(rows) * inner;
            float* hidden = scratch.wide.of(size);
            const Activation activation = static_cast<Activation>(shape.activation);
            layer.inner.apply(scratch.rounded, hidden, inner, activation == Activation::RELU ? Then::RELU : Then::STORE);
            if (activation == Activation::GELU) {
                for (std::size_t i = 0; i < size; ++i)
                    hidden[i] = 0.5f * hidden[i] * (1.0f + std::erf(hidden[i] * 0.70710678f));
            } else if (activation == Activation::SWIGLU) {
                float* gate = scratch.gate.of(size);
                layer.gate.apply(scratch.rounded, gate, inner);
                for (std::size_t i = 0; i < size; ++i) hidden[i] = gate[i] * hidden[i] / (1.0f + std::exp(-hidden[i]));
            }
            scratch.rounded.resize(rows, inner);
            for (int row = 0; row < rows; ++row) scratch.rounded.set(row, hidden + static_cast<std::size_t>(row) * inner);
            layer.outer.apply(scratch.rounded, x, shape.width, Then::ADD);
        });
    }

    // Keys of `length` places, `stride` floats apart, as looks read them: one coordinate of all places after another.
    static void turn(const float* keys, std::size_t stride, int length, int head_width, Half* turned, int padded) {
        const __m512i apart = _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                                 _mm512_set1_epi32(static_cast<int>(stride)));
        for (int place = 0; place < padded; place += LANES) {
            const __mmask16 real = lanes(length - place);
            const float* first = keys + static_cast<std::size_t>(place) * stride;
            for (int i = 0; i < head_width; ++i) {
                const __m512 of_places = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), real, apart, first + i, sizeof(float));
                store(turned + static_cast<std::size_t>(i) * padded + place, lanes(LANES), of_places);
            }
        }
    }

    // Σ softmax(q · k / √D) v over all places: of keys that were turned, and of values `stride` numbers apart.
    static void look(const float* query, const Half* turned, int padded, const Half* values, std::size_t stride,
                     int length, int head_width, float* weights, float* answer) {
        const __m512 scale = _mm512_set1_ps(1.0f / std::sqrt(static_cast<float>(head_width)));
        const __mmask16 all = lanes(LANES);
        for (int first = 0; first < length; first += LANES) {
            __m512 sums[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps()};
            int i = 0;
            for (; i + 4 <= head_width; i += 4)
#pragma GCC unroll 4
                for (int n = 0; n < 4; ++n) {
                    const __m512 keys = load(turned + static_cast<std::size_t>(i + n) * padded + first, all);
                    sums[n] = _mm512_fmadd_ps(_mm512_set1_ps(query[i + n]), keys, sums[n]);
                }
            for (; i < head_width; ++i) {
                const __m512 keys = load(turned + static_cast<std::size_t>(i) * padded + first, all);
                sums[0] = _mm512_fmadd_ps(_mm512_set1_ps(query[i]), keys, sums[0]);
            }
            const __m512 sum = _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3]));
            _mm512_storeu_ps(weights + first, _mm512_mul_ps(sum, scale));
        }
        softmax(weights, length);
        mix([&](int place) { return values + static_cast<std::size_t>(place) * stride; }, weights, length, head_width, answer);
    }

    // Turn a query or a key by the angles of its place: coordinate i goes with i + D/2.
    static void turn_by_place(const std::vector<float>& angles, int place, int head_width, int heads, float* x) {
        const int half = head_width / 2;
        for (int i = 0; i < half; ++i) {
            const float angle = static_cast<float>(place) * angles[i], c = std::cos(angle), s = std::sin(angle);
            for (int head = 0; head < heads; ++head) {
                float& one = x[head * head_width + i];
                float& other = x[head * head_width + half + i];
                const float before = one;
                one = before * c - other * s;
                other = other * c + before * s;
            }
        }
    }

    // The last state of each row, rounded for the projection.
    void finish(const Norm& norm, const float* x, int rows, Scratch& scratch) const {
        const int width = shape.width;
        scratch.rounded.resize(rows, width);
        float* normal = scratch.normal.of(width);
        for (int row = 0; row < rows; ++row) {
            const float* state = x + static_cast<std::size_t>(row) * width;
            if (shape.pre_norm) norm.apply(state, normal, width);
            scratch.rounded.set(row, shape.pre_norm ? normal : state);
        }
    }

    const Shape shape;
    std::vector<EncoderLayer> encoder;
    std::vector<DecoderLayer> decoder;
    Norm encoder_norm, decoder_norm;
    Linear projection;
    std::vector<std::int32_t> said;
    std::vector<float> encoder_angles, decoder_angles;

  private:
    template <class Part>
    struct Expected {
        Part* part;
        int rows, columns;
    };

    void expect(const std::string& name, Linear& linear, int outputs, int inputs) {
        linears_[name] = {&linear, outputs, inputs};
    }
    void expect_norm(const std::string& name, Norm& norm) { norms_[name] = &norm; }
    void expect_self(const std::string& name, SelfLook& look) {
        expect_norm(name + "/layer_norm", look.norm);
        expect(name + "/linear_0", look.maps, 3 * shape.width, shape.width);
        expect(name + "/linear_1", look.output, shape.width, shape.width);
    }
    void expect_feed(const std::string& name, FeedForward& layer) {
        expect_norm(name + "/layer_norm", layer.norm);
        expect(name + "/linear_0", layer.inner, shape.feed_forward, shape.width);
        if (static_cast<Activation>(shape.activation) == Activation::SWIGLU)
            expect(name + "/linear_0_noact", layer.gate, shape.feed_forward, shape.width);
        expect(name + "/linear_1", layer.outer, shape.width, shape.feed_forward);
    }

    static std::vector<float> angles(float base, int head_width) {
        std::vector<float> found;
        if (base > 0)
            for (int i = 0; i < head_width / 2; ++i)
                found.push_back(std::pow(base, -2.0f * static_cast<float>(i) / static_cast<float>(head_width)));
        return found;
    }

    Table source_tokens, target_tokens;
    std::vector<float> source_places, target_places;
    std::map<std::string, Expected<Linear>> linears_;
    std::map<std::string, Norm*> norms_;
};

}  // namespace mirada
