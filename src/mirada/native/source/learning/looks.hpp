// Attention by dot products, every pair explicitly, one head of one sequence at a time: short sequences stay in the first
// caches. Only the logarithm of each query's sum is kept for the gradient; the weights are computed again.
//
// Scores stand key by key, sixteen queries side by side, so that what is found for each query (the largest score, the
// sum) takes no step across a vector.
#pragma once

#include "products.hpp"

namespace mirada {

// Where the numbers of one sequence, one head and one place stand, counted in numbers.
struct Strides {
    std::int64_t row, head, place;
};

// Sizes and strides; `Look` of native/learning.py. Of packed sequences, which lie one after the other, `queries` and `keys`
// are not used.
struct Look {
    std::int32_t rows, heads, groups, queries, keys, width, value_width;
    float scale;
    std::int64_t mask_row, mask_query;  // bytes; 0 where all are alike
    Strides query, key, value, answer;

    int each() const { return heads / groups; }  // heads that share one key and value head
    int columns() const { return rounded_up(queries, PANEL); }
    int vectors() const { return (queries + LANES - 1) / LANES; }
};

// Where each packed sequence begins, and the last ends; null where sequences are rows of one length.
struct Starts {
    const std::int32_t* queries;
    const std::int32_t* keys;
};

// One sequence: its sizes, and where its numbers begin.
struct Sequence {
    Look look;
    std::int64_t query, key, value, answer, log;

    Sequence(const Look& all, const Starts& starts, int row) : look(all) {
        const bool packed = starts.queries != nullptr;
        const std::int64_t first_query = packed ? starts.queries[row] : 0, first_key = packed ? starts.keys[row] : 0;
        if (packed) {
            look.queries = static_cast<std::int32_t>(starts.queries[row + 1] - first_query);
            look.keys = static_cast<std::int32_t>(starts.keys[row + 1] - first_key);
        }
        query = packed ? first_query * all.query.place : row * all.query.row;
        key = packed ? first_key * all.key.place : row * all.key.row;
        value = packed ? first_key * all.value.place : row * all.value.row;
        answer = packed ? first_query * all.answer.place : row * all.answer.row;
        log = (packed ? first_query : static_cast<std::int64_t>(row) * all.queries) * all.heads;
    }
};

// Products of float32 that are scaled, rows a multiple of a panel apart.
struct Scored {
    float* data;
    int rows, columns;
    float scale;

    template <int ROWS>
    void operator()(const Sums<ROWS>& sums, int row, int column) const {
        each_vector(sums, row, column, rows, columns, [&](__m512 sum, int r, int c, __mmask16) {
            _mm512_storeu_ps(data + static_cast<std::size_t>(r) * columns + c, _mm512_mul_ps(sum, _mm512_set1_ps(scale)));
        });
    }
};

// What a query finds: a product whose rows are divided by their sums.
struct Shared {
    Number* data;
    std::int64_t stride;
    int rows, columns;
    const float* shares;

    template <int ROWS>
    void operator()(const Sums<ROWS>& sums, int row, int column) const {
        each_vector(sums, row, column, rows, columns, [&](__m512 sum, int r, int c, __mmask16 real) {
            store_numbers(data + r * stride + c, real, _mm512_mul_ps(sum, _mm512_set1_ps(shares[r])));
        });
    }
};

class Looking {
  public:
    // `mask` has a byte for each pair, 0 where a query may not look; null where it may look everywhere.
    void run(const Look& all, const Starts& starts, const Number* q, const Number* k, const Number* v, const std::uint8_t* mask,
             Number* answer, float* logs) {
        for (int row = 0; row < all.rows; ++row) {
            const Sequence one(all, starts, row);
            const Look& look = one.look;
            shares_.of(look.columns());
            see(look, mask, row, starts);
            for (int head = 0; head < look.heads; ++head) {
                const int group = head / look.each();
                score(look, queries(look, q + one.query, head), keys(look, k + one.key, group));
                weigh(look, logs + one.log + static_cast<std::int64_t>(head) * look.queries);
                right_.set(values(look, v + one.value, group));
                multiply_transpose(left_, right_, Shared{answer + one.answer + head * look.answer.head, look.answer.place,
                                                         look.queries, look.value_width, shares_.data()});
            }
        }
    }

    // Gradients of queries, keys and values, each laid out as the numbers themselves; that of the answer as the answer.
    void back(const Look& all, const Starts& starts, const Number* q, const Number* k, const Number* v,
              const std::uint8_t* mask, const float* logs, const Number* gradient, Number* to_q, Number* to_k, Number* to_v) {
        for (int row = 0; row < all.rows; ++row) {
            const Sequence one(all, starts, row);
            const Look& look = one.look;
            see(look, mask, row, starts);
            for (int head = 0; head < look.heads; ++head) {
                const int group = head / look.each(), number = head % look.each();
                const Matrix asked = queries(look, q + one.query, head), seen = keys(look, k + one.key, group);
                const Matrix falls = of(gradient + one.answer, look.answer, head, look.queries, look.value_width);
                score(look, asked, seen);
                slope(look, logs + one.log + static_cast<std::int64_t>(head) * look.queries, falls,
                      values(look, v + one.value, group));
                right_.set(falls);
                collect(look, weights_, number, values_grown_, to_v + one.value + group * look.value.head, look.value.place);
                right_.set(asked);
                collect(look, slopes_, number, keys_grown_, to_k + one.key + group * look.key.head, look.key.place);
                left_.set(pairs(look, slopes_));
                right_.set(seen);
                multiply_transpose(left_, right_, Narrowed{to_q + one.query + head * look.query.head,
                                                           static_cast<std::size_t>(look.query.place), look.queries,
                                                           look.width});
            }
        }
    }

  private:
    static Matrix of(const Number* x, const Strides& strides, int head, int places, int width) {
        return {x + head * strides.head, static_cast<std::size_t>(strides.place), places, width};
    }
    static Matrix queries(const Look& look, const Number* q, int head) {
        return of(q, look.query, head, look.queries, look.width);
    }
    static Matrix keys(const Look& look, const Number* k, int group) { return of(k, look.key, group, look.keys, look.width); }
    static Matrix values(const Look& look, const Number* v, int group) {
        return of(v, look.value, group, look.keys, look.value_width);
    }

    // A number for each pair, key by key; what is beyond the queries is 0.
    static Matrix pairs(const Look& look, const Buffer<Number>& numbers) {
        return {numbers.data(), static_cast<std::size_t>(look.columns()), look.keys, look.queries};
    }

    // Which queries may look at each key of a sequence, sixteen at a time.
    void see(const Look& look, const std::uint8_t* mask, int row, const Starts& starts) {
        if (row > 0 && starts.queries == nullptr && (mask == nullptr || look.mask_row == 0)) return;
        __mmask16* seen = seen_.of(static_cast<std::size_t>(look.keys) * look.vectors());
        const std::uint8_t* allowed = mask == nullptr ? nullptr : mask + row * look.mask_row;
        for (int key = 0; key < look.keys; ++key)
            for (int v = 0; v < look.vectors(); ++v) {
                const int first = v * LANES;
                __mmask16 bits = lanes(look.queries - first);
                if (allowed != nullptr && look.mask_query == 0) bits = allowed[key] ? bits : 0;
                if (allowed != nullptr && look.mask_query != 0)
                    for (int i = 0; i < std::min(LANES, look.queries - first); ++i)
                        if (!allowed[(first + i) * look.mask_query + key]) bits &= static_cast<__mmask16>(~(1u << i));
                *seen++ = bits;
            }
    }

    void score(const Look& look, const Matrix& asked, const Matrix& seen) {
        scores_.of(static_cast<std::size_t>(look.keys) * look.columns());
        right_.set_transpose(asked);
        multiply(seen, right_, Scored{scores_.data(), look.keys, look.columns(), look.scale});
    }

    // exp(score − largest) of every pair into `left_`, one divided by their sum into `shares_`. A query that sees nobody
    // has no weights.
    void weigh(const Look& look, float* logs) {
        left_.resize(look.keys, look.queries);
        for (int v = 0; v < look.columns() / LANES; ++v) {
            const int first = v * LANES;
            const __mmask16 real = lanes(std::max(0, look.queries - first));
            const __m512 most = largest(look, v);
            __m512 sum = _mm512_setzero_ps();
            for (int key = 0; key < look.keys; key += IN_UNIT) {
                __m512 some[IN_UNIT], of_unit = _mm512_setzero_ps();
                for (int n = 0; n < IN_UNIT; ++n) {
                    some[n] = key + n < look.keys ? raised(look, key + n, v, most) : _mm512_setzero_ps();
                    of_unit = _mm512_add_ps(of_unit, some[n]);
                }
                sum = _mm512_add_ps(sum, of_unit);
                _mm512_store_si512(left_.unit(key / IN_UNIT, first), joined(some));
            }
            const __mmask16 nobody = _mm512_cmp_ps_mask(sum, _mm512_setzero_ps(), _CMP_EQ_OQ);
            const __m512 share = _mm512_mask_div_ps(_mm512_setzero_ps(), static_cast<__mmask16>(~nobody), _mm512_set1_ps(1.0f), sum);
            _mm512_store_ps(shares_.data() + first, share);
            alignas(64) float sums[LANES], tops[LANES];
            _mm512_store_ps(sums, sum);
            _mm512_store_ps(tops, most);
            for (int i = 0; i < LANES; ++i)
                if (real >> i & 1) logs[first + i] = sums[i] == 0 ? INFINITY : tops[i] + std::log(sums[i]);
        }
    }

    const float* scores(const Look& look, int key, int vector) const {
        return scores_.data() + static_cast<std::size_t>(key) * look.columns() + vector * LANES;
    }
    __mmask16 seen(const Look& look, int key, int vector) const {
        return vector < look.vectors() ? seen_.data()[static_cast<std::size_t>(key) * look.vectors() + vector] : 0;
    }

    __m512 largest(const Look& look, int vector) const {
        __m512 most = _mm512_set1_ps(-INFINITY);
        for (int key = 0; key < look.keys; ++key)
            most = _mm512_mask_max_ps(most, seen(look, key, vector), _mm512_loadu_ps(scores(look, key, vector)), most);
        return most;
    }

    __m512 raised(const Look& look, int key, int vector, __m512 shift) const {
        const __m512 y = exponential(_mm512_sub_ps(_mm512_loadu_ps(scores(look, key, vector)), shift));
        return _mm512_maskz_mov_ps(seen(look, key, vector), y);
    }

    // Into `weights_` the weights, into `slopes_` what falls on each score: weight · (what falls on the weight − the mean
    // of that by weight) · scale.
    void slope(const Look& look, const float* logs, const Matrix& falls, const Matrix& valued) {
        const std::size_t size = static_cast<std::size_t>(look.keys) * look.columns();
        Number *weights = weights_.of(size), *slopes = slopes_.of(size);
        float* on_weights = on_weights_.of(size);
        right_.set_transpose(falls);
        multiply(valued, right_, Scored{on_weights, look.keys, look.columns(), 1.0f});
        for (int v = 0; v < look.columns() / LANES; ++v) {
            const int first = v * LANES;
            const __mmask16 real = lanes(std::max(0, look.queries - first));
            const __m512 log = _mm512_maskz_loadu_ps(real, logs + first), scale = _mm512_set1_ps(look.scale);
            __m512 mean = _mm512_setzero_ps();
            for (int key = 0; key < look.keys; ++key) {
                const std::size_t place = static_cast<std::size_t>(key) * look.columns() + first;
                const __m512 weight = raised(look, key, v, log);
                mean = _mm512_fmadd_ps(weight, _mm512_loadu_ps(on_weights + place), mean);
                _mm512_storeu_ps(scores_.data() + place, weight);
                store_numbers(weights + place, 0xFFFF, weight);
            }
            for (int key = 0; key < look.keys; ++key) {
                const std::size_t place = static_cast<std::size_t>(key) * look.columns() + first;
                const __m512 falling = _mm512_sub_ps(_mm512_loadu_ps(on_weights + place), mean);
                const __m512 weight = _mm512_mul_ps(_mm512_loadu_ps(scores_.data() + place), scale);
                store_numbers(slopes + place, 0xFFFF, _mm512_mul_ps(weight, falling));
            }
        }
    }

    // numbers · right_, added up over the heads that share a key and value head.
    void collect(const Look& look, const Buffer<Number>& numbers, int number, Buffer<float>& grown, Number* answer,
                 std::int64_t stride) {
        const int width = right_.columns();
        if (look.each() == 1)
            return multiply(pairs(look, numbers), right_,
                            Narrowed{answer, static_cast<std::size_t>(stride), look.keys, width});
        float* sum = grown.of(static_cast<std::size_t>(look.keys) * width);
        multiply(pairs(look, numbers), right_, Grown{sum, look.keys, width, number == 0});
        if (number + 1 < look.each()) return;
        for (int key = 0; key < look.keys; ++key)
            narrow(sum + static_cast<std::size_t>(key) * width, width, answer + key * stride);
    }

    Panels left_, right_;
    Buffer<float> scores_, on_weights_, shares_, keys_grown_, values_grown_;
    Buffer<Number> weights_, slopes_;
    Buffer<__mmask16> seen_;
};

}  // namespace mirada
