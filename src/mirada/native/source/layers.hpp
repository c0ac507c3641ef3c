// What the layers compute: sources that are read, and one step of all candidates.
#pragma once

#include <vector>

#include "model.hpp"
#include "sentence.hpp"

namespace mirada {

// A candidate of a sentence, as a row of a step.
struct Row {
    Sentence* sentence;
    int slot;
};

class Layers {
  public:
    explicit Layers(const Model& model) : model_(model), width_(model.shape.width) {}

    // Read sources: the memories of the sentences are filled.
    void read(const std::vector<Sentence*>& sentences) {
        int rows = 0;
        for (const Sentence* one : sentences) rows += one->length;
        float* x = scratch_.states.of(static_cast<std::size_t>(rows) * width_);
        float* state = x;
        for (const Sentence* one : sentences)
            for (int place = 0; place < one->length; ++place, state += width_)
                model_.enter(true, one->source[place], place, state);
        for (const EncoderLayer& layer : model_.encoder) {
            model_.around(layer.look.norm, x, rows, scratch_, [&] { look_around(layer.look, sentences, x, rows); });
            model_.feed(layer.feed, x, rows, scratch_);
        }
        model_.finish(model_.encoder_norm, x, rows, scratch_);
        for (Sentence* one : sentences) reserve(*one);
        for (std::size_t n = 0; n < model_.decoder.size(); ++n) remember(static_cast<int>(n), sentences, rows);
    }

    // The scores of what each row may say next, one row after another, `stride()` floats apart.
    float* step(const std::vector<Row>& rows) {
        const int count = static_cast<int>(rows.size());
        float* x = scratch_.states.of(static_cast<std::size_t>(count) * width_);
        for (int n = 0; n < count; ++n) {
            const Sentence& one = *rows[n].sentence;
            model_.enter(false, one.running[rows[n].slot].token, one.step, x + static_cast<std::size_t>(n) * width_);
        }
        for (std::size_t n = 0; n < model_.decoder.size(); ++n) {
            const DecoderLayer& layer = model_.decoder[n];
            const int number = static_cast<int>(n);
            model_.around(layer.look.norm, x, count, scratch_, [&] { look_back(number, layer.look, rows, x); });
            model_.around(layer.source.norm, x, count, scratch_, [&] { look_at_source(number, rows, x); });
            model_.feed(layer.feed, x, count, scratch_);
        }
        model_.finish(model_.decoder_norm, x, count, scratch_);
        float* scores = scores_.of(static_cast<std::size_t>(count) * stride());
        model_.projection.apply(scratch_.rounded, scores, stride());
        return scores;
    }

    std::size_t stride() const { return rounded_up(model_.projection.outputs(), LANES); }

  private:
    void look_around(const SelfLook& look, const std::vector<Sentence*>& sentences, float* x, int rows) {
        const int heads = model_.shape.encoder_heads, head_width = width_ / heads, stride = 3 * width_;
        float* maps = scratch_.wide.of(static_cast<std::size_t>(rows) * stride);
        look.maps.apply(scratch_.rounded, maps, stride);
        float* looked = scratch_.looked.of(static_cast<std::size_t>(rows) * width_);
        std::size_t first = 0;
        for (const Sentence* one : sentences) {
            const int length = one->length, padded = rounded_up(length, LANES);
            float* own = maps + first * stride;
            if (!model_.encoder_angles.empty())
                for (int place = 0; place < length; ++place)  // queries and keys stand beside each other
                    Model::turn_by_place(model_.encoder_angles, place, head_width, 2 * heads, own + place * stride);
            Half* turned = scratch_.keys.of(static_cast<std::size_t>(head_width) * padded);
            Half* own_values = scratch_.values.of(static_cast<std::size_t>(length) * width_);
            for (int place = 0; place < length; ++place)
                halve(own + static_cast<std::size_t>(place) * stride + 2 * width_, width_,
                      own_values + static_cast<std::size_t>(place) * width_);
            float* weights = scratch_.weights.of(padded);
            for (int head = 0; head < heads; ++head) {
                const int first_of_head = head * head_width;
                Model::turn(own + width_ + first_of_head, stride, length, head_width, turned, padded);
                for (int place = 0; place < length; ++place)
                    Model::look(own + static_cast<std::size_t>(place) * stride + first_of_head, turned, padded,
                                own_values + first_of_head, width_, length, head_width, weights,
                                looked + (first + place) * width_ + first_of_head);
            }
            first += length;
        }
        answer(look.output, looked, x, rows);
    }

    void reserve(Sentence& sentence) const {
        Memory& memory = sentence.memory;
        memory.length = sentence.length;
        memory.padded = rounded_up(sentence.length, LANES);
        const std::size_t layers = model_.decoder.size();
        memory.keys.of(layers * width_ * memory.padded);
        memory.values.of(layers * width_ * memory.length);
    }

    // Keys and values of the sources for one layer of the decoder, from states that are rounded.
    void remember(int layer, const std::vector<Sentence*>& sentences, int rows) {
        const int heads = model_.shape.decoder_heads, head_width = width_ / heads, stride = 2 * width_;
        float* maps = scratch_.wide.of(static_cast<std::size_t>(rows) * stride);
        model_.decoder[layer].source.memory.apply(scratch_.rounded, maps, stride);
        const float* own = maps;
        for (Sentence* one : sentences) {
            Memory& memory = one->memory;
            Half* keys = keys_of(memory, layer);
            for (int head = 0; head < heads; ++head)
                Model::turn(own + head * head_width, stride, memory.length, head_width,
                            keys + static_cast<std::size_t>(head) * head_width * memory.padded, memory.padded);
            Half* values = values_of(memory, layer);
            for (int place = 0; place < memory.length; ++place)
                halve(own + static_cast<std::size_t>(place) * stride + width_, width_,
                      values + static_cast<std::size_t>(place) * width_);
            own += static_cast<std::size_t>(memory.length) * stride;
        }
    }

    Half* keys_of(const Memory& memory, int layer) const {
        return memory.keys.data() + static_cast<std::size_t>(layer) * width_ * memory.padded;
    }
    Half* values_of(const Memory& memory, int layer) const {
        return memory.values.data() + static_cast<std::size_t>(layer) * width_ * memory.length;
    }

    void look_back(int number, const SelfLook& look, const std::vector<Row>& rows, float* x) {
        const int heads = model_.shape.decoder_heads, head_width = width_ / heads, stride = 3 * width_;
        const int count = static_cast<int>(rows.size());
        float* maps = scratch_.wide.of(static_cast<std::size_t>(count) * stride);
        look.maps.apply(scratch_.rounded, maps, stride);
        for (int n = 0; n < count; ++n) {
            Sentence& one = *rows[n].sentence;
            float* own = maps + static_cast<std::size_t>(n) * stride;
            if (!model_.decoder_angles.empty())
                Model::turn_by_place(model_.decoder_angles, one.step, head_width, 2 * heads, own);
            halve(own + width_, 2 * width_, one.past.keys(number, one.step, rows[n].slot));
        }
        float* looked = scratch_.looked.of(static_cast<std::size_t>(count) * width_);
        for (int n = 0; n < count; ++n)
            look_back_of(number, rows[n], maps + static_cast<std::size_t>(n) * stride,
                         looked + static_cast<std::size_t>(n) * width_);
        answer(look.output, looked, x, count);
    }

    void look_back_of(int number, const Row& row, const float* query, float* looked) {
        Sentence& one = *row.sentence;
        const int heads = model_.shape.decoder_heads, head_width = width_ / heads, length = one.step + 1;
        const std::vector<std::uint16_t>& ancestors = one.running[row.slot].ancestors;
        seen_.resize(length);
        for (int step = 0; step < length; ++step)
            seen_[step] = one.past.keys(number, step, step < one.step ? ancestors[step] : row.slot);
        seen_.resize(rounded_up(length, 4), seen_.front());  // four at a time
        const __m128 scale = _mm_set1_ps(1.0f / std::sqrt(static_cast<float>(head_width)));
        float* weights = scratch_.weights.of(seen_.size());
        for (int head = 0; head < heads; ++head) {
            const int first = head * head_width;
            for (int step = 0; step < length; step += 4)
                _mm_storeu_ps(weights + step, _mm_mul_ps(fits(query + first, &seen_[step], first, head_width), scale));
            softmax(weights, length);
            mix([&](int step) { return seen_[step] + width_ + first; }, weights, length, head_width, looked + first);
        }
    }

    // q · k for four keys, from the coordinate `first` on.
    static __m128 fits(const float* query, Half* const* keys, int first, int head_width) {
        __m512 sums[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps()};
        for (int i = 0; i < head_width; i += LANES) {
            const __mmask16 real = lanes(head_width - i);
            const __m512 q = _mm512_maskz_loadu_ps(real, query + i);
#pragma GCC unroll 4
            for (int n = 0; n < 4; ++n) sums[n] = _mm512_fmadd_ps(q, load(keys[n] + first + i, real), sums[n]);
        }
        return sums_of(sums[0], sums[1], sums[2], sums[3]);
    }

    void look_at_source(int number, const std::vector<Row>& rows, float* x) {
        const SourceLook& look = model_.decoder[number].source;
        const int heads = model_.shape.decoder_heads, head_width = width_ / heads;
        const int count = static_cast<int>(rows.size());
        float* queries = scratch_.wide.of(static_cast<std::size_t>(count) * width_);
        look.query.apply(scratch_.rounded, queries, width_);
        float* looked = scratch_.looked.of(static_cast<std::size_t>(count) * width_);
        for (int n = 0; n < count; ++n) {
            const Memory& memory = rows[n].sentence->memory;
            const Half *keys = keys_of(memory, number), *values = values_of(memory, number);
            float* weights = scratch_.weights.of(memory.padded);
            for (int head = 0; head < heads; ++head) {
                const std::size_t first = static_cast<std::size_t>(head) * head_width;
                const std::size_t row = static_cast<std::size_t>(n) * width_ + first;
                Model::look(queries + row, keys + first * memory.padded, memory.padded, values + first, width_,
                            memory.length, head_width, weights, looked + row);
            }
        }
        answer(look.output, looked, x, count);
    }

    // What was looked up, through the output map, added to the states.
    void answer(const Linear& output, const float* looked, float* x, int rows) {
        scratch_.rounded.resize(rows, width_);
        for (int row = 0; row < rows; ++row) scratch_.rounded.set(row, looked + static_cast<std::size_t>(row) * width_);
        output.apply(scratch_.rounded, x, width_, Then::ADD);
    }

    const Model& model_;
    const int width_;
    Scratch scratch_;
    Buffer<float> scores_;
    std::vector<Half*> seen_;
};

}  // namespace mirada
