// Products of matrices, added up in float32.
//
// The processor multiplies units of numbers, sixteen at a time: pairs of bf16, adding both products to a sum, or single
// numbers of float32. So the right-hand matrix is brought into panels: 32 columns side by side, and of each column those
// numbers together that stand below each other and are a unit. The left-hand matrix is read as it lies, as many
// neighbouring numbers at a time. A tile of 8 × 32 sums stays in registers while all units pass by; what becomes of it
// (`then`) is the caller's affair.
#pragma once

#include "numbers.hpp"

namespace mirada {

constexpr int VECTORS = 2;                          // of sums that a tile has side by side
constexpr int PANEL = VECTORS * LANES;              // columns of a panel
constexpr int TILE = 8;                             // rows of a tile; 12 are no faster, and 8 divide a panel
constexpr int UNITS_AT_ONCE = 8;                    // rows of a matrix are brought into panels as they lie in memory
constexpr std::size_t IN_CACHE = 256 * 1024;        // bytes of the left-hand matrix that stay in the second cache

// What will be read soon is asked for: processors foresee steps to neighbours, not those from row to row.
inline void fetch(const void* data) { _mm_prefetch(static_cast<const char*>(data), _MM_HINT_T0); }

// A matrix as it lies in memory.
struct Matrix {
    const Number* data;
    std::size_t stride;  // numbers from a row to the next
    int rows, columns;

    const Number* row(int number) const { return data + number * stride; }
    Matrix part(int first, int count) const { return {row(first), stride, std::min(count, rows - first), columns}; }
};

// One whose rows follow each other without a gap.
inline Matrix matrix(const Number* data, int rows, int columns) {
    return {data, static_cast<std::size_t>(columns), rows, columns};
}

// Sixteen vectors of sixteen units, rows and columns exchanged: first within quarters, then the quarters.
inline void transpose(__m512i (&x)[LANES]) {
    __m512i t[LANES];
    for (int i = 0; i < LANES; i += 2) {
        t[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4) {
        x[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        x[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        x[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        x[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    constexpr int EVEN = 0x88, ODD = 0xDD;
    for (int i = 0; i < 4; ++i) {
        t[i] = _mm512_shuffle_i32x4(x[i], x[i + 4], EVEN);
        t[i + 4] = _mm512_shuffle_i32x4(x[i], x[i + 4], ODD);
        t[i + 8] = _mm512_shuffle_i32x4(x[i + 8], x[i + 12], EVEN);
        t[i + 12] = _mm512_shuffle_i32x4(x[i + 8], x[i + 12], ODD);
    }
    for (int i = 0; i < 4; ++i) {
        x[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], EVEN);
        x[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], ODD);
        x[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], EVEN);
        x[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], ODD);
    }
}

// A matrix in panels. The unit p of column c stands at [c / 32][p][c % 32]; what is beyond the matrix is 0.
class Panels {
  public:
    int units() const { return units_; }
    int columns() const { return columns_; }
    int count() const { return (columns_ + PANEL - 1) / PANEL; }
    const Unit* panel(int number) const { return data_.data() + at(number, 0); }
    Unit* unit(int number, int column) { return data_.data() + at(column / PANEL, number) + column % PANEL; }

    // Room for a matrix of this size, whose units are then written one by one.
    void resize(int rows, int columns) {
        units_ = (rows + IN_UNIT - 1) / IN_UNIT;
        columns_ = columns;
        data_.of(at(count(), 0));
    }

    void set(const Matrix& x) {
        resize(x.rows, x.columns);
        for (int first = 0; first < units_; first += UNITS_AT_ONCE)
            for (int number = 0; number < count(); ++number)
                for (int p = first; p < std::min(units_, first + UNITS_AT_ONCE); ++p) {
                    const Number* upper = x.row(IN_UNIT * p) + number * PANEL;
                    const Number* later = upper + IN_UNIT * UNITS_AT_ONCE * x.stride;
                    fetch(later);
                    fetch(later + (IN_UNIT == 1 ? LINE_NUMBERS : x.stride));
                    join_rows(upper, x.stride, x.rows - IN_UNIT * p, columns_ - number * PANEL, data_.data() + at(number, p));
                }
    }

    void set_transpose(const Matrix& x) {
        resize(x.columns, x.rows);
        for (int first = 0; first < count() * PANEL; first += LANES)
            for (int p = 0; p < units_; p += LANES) {
                __m512i square[LANES];
                if (first >= x.rows) {
                    std::fill_n(square, LANES, _mm512_setzero_si512());
                    store_square(square, first, p);
                    continue;
                }
                for (int i = 0; i < LANES; ++i)
                    square[i] = first + i < x.rows ? load_units(x.row(first + i) + IN_UNIT * p, x.columns - IN_UNIT * p)
                                                   : _mm512_setzero_si512();
                transpose(square);
                store_square(square, first, p);
            }
    }

  private:
    std::size_t at(int panel, int unit) const { return (static_cast<std::size_t>(panel) * units_ + unit) * PANEL; }

    void store_square(const __m512i (&square)[LANES], int column, int first) {
        Unit* out = unit(first, column);
        for (int j = 0; j < std::min(LANES, units_ - first); ++j) _mm512_store_si512(out + j * PANEL, square[j]);
    }

    int units_ = 0, columns_ = 0;
    Buffer<std::uint32_t> data_;
};

template <int ROWS>
struct Sums {
    __m512 of[ROWS][VECTORS];

    Sums() {
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; ++r)
#pragma GCC unroll 2
            for (int v = 0; v < VECTORS; ++v) of[r][v] = _mm512_setzero_ps();
    }

    // Of row r, unit p stands at left[r · row_step + p · unit_step].
    __attribute__((always_inline)) void add(const Unit* left, std::size_t row_step, std::size_t unit_step,
                                            const Unit* right, int units) {
        for (int p = 0; p < units; ++p, right += PANEL, left += unit_step) {
            const __m512i a = _mm512_load_si512(right), b = _mm512_load_si512(right + LANES);
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; ++r) {
                const __m512i one = _mm512_set1_epi32(static_cast<int>(left[r * row_step]));
                of[r][0] = add_products(of[r][0], one, a);
                of[r][1] = add_products(of[r][1], one, b);
            }
        }
    }
};

// One of the products whose sum is asked for.
struct Factor {
    Matrix left;
    const Panels* right;
};

// Ask for the rows of the next tile, which the first panel is multiplied with before all others.
inline void fetch_tile(const Matrix& x, int row) {
    for (int r = row; r < std::min(x.rows, row + TILE); ++r)
        for (int c = 0; c < x.columns; c += LINE_NUMBERS) fetch(x.row(r) + c);
}

template <int ROWS, class Then>
inline void tile(const Factor* factors, int count, int row, int panel, const Then& then) {
    Sums<ROWS> sums;
    for (int n = 0; n < count; ++n) {
        const Matrix& left = factors[n].left;
        if (panel == 0) fetch_tile(left, row + TILE);
        const Unit* units = reinterpret_cast<const Unit*>(left.row(row));
        sums.add(units, left.stride / IN_UNIT, 1, factors[n].right->panel(panel), factors[n].right->units());
    }
    then(sums, row, panel * PANEL);
}

template <class Then, int ROWS = TILE - 1>
inline void last_tile(int rows, const Factor* factors, int count, int row, int panel, const Then& then) {
    if constexpr (ROWS > 0) {
        if (rows == ROWS) return tile<ROWS>(factors, count, row, panel, then);
        last_tile<Then, ROWS - 1>(rows, factors, count, row, panel, then);
    }
}

// then(sums, row, column) for each tile of Σ left · right. Strides are whole units, and rows that end within one are
// followed by a 0.
template <class Then, bool SYMMETRIC = false>
inline void multiply(const Factor* factors, int count, const Then& then) {
    std::size_t row_bytes = 0;
    for (int n = 0; n < count; ++n) row_bytes += sizeof(Unit) * factors[n].right->units();
    const int rows = factors[0].left.rows, panels = factors[0].right->count();
    const int together = std::max<int>(1, static_cast<int>(IN_CACHE / row_bytes) / TILE) * TILE;
    for (int first = 0; first < rows; first += together) {
        const int end = std::min(rows, first + together);
        for (int panel = 0; panel < panels; ++panel) {
            int row = SYMMETRIC ? std::max(first, panel * PANEL) : first;
            if (row >= end) break;
            for (; row + TILE <= end; row += TILE) tile<TILE>(factors, count, row, panel, then);
            last_tile(end - row, factors, count, row, panel, then);
        }
    }
}

template <class Then>
inline void multiply(const Matrix& left, const Panels& right, const Then& then) {
    const Factor factor{left, &right};
    multiply(&factor, 1, then);
}

// The same of a product that is symmetric, without what is right of the diagonal's panels: see `mirror`.
template <class Then>
inline void multiply_symmetric(const Matrix& left, const Panels& right, const Then& then) {
    const Factor factor{left, &right};
    multiply<Then, true>(&factor, 1, then);
}

// The same of leftᵀ · right, which are added up over the rows of both. Tiles may go beyond the last row.
template <class Then>
inline void multiply_transpose(const Panels& left, const Panels& right, const Then& then) {
    for (int row = 0; row < left.columns(); row += TILE)
        for (int panel = 0; panel < right.count(); ++panel) {
            Sums<TILE> sums;
            sums.add(left.panel(row / PANEL) + row % PANEL, 1, PANEL, right.panel(panel), right.units());
            then(sums, row, panel * PANEL);
        }
}

// Calls each(sum, row, column, real) for every vector of a tile that is within a matrix of this size.
template <int ROWS, class Each>
inline __attribute__((always_inline)) void each_vector(const Sums<ROWS>& sums, int row, int column, int rows,
                                                       int columns, const Each& each) {
#pragma GCC unroll 2
    for (int v = 0; v < VECTORS; ++v) {
        const int left = columns - column - v * LANES;
        if (left <= 0) return;
        const __mmask16 real = lanes(left);
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; ++r)
            if (row + r < rows) each(sums.of[r][v], row + r, column + v * LANES, real);
    }
}

// A matrix of float32 that products are added to, or that the first of them overwrites.
struct Grown {
    float* data;
    int rows, columns;
    bool afresh;

    template <int ROWS>
    void operator()(const Sums<ROWS>& sums, int row, int column) const {
        each_vector(sums, row, column, rows, columns, [&](__m512 sum, int r, int c, __mmask16 real) {
            float* out = data + static_cast<std::size_t>(r) * columns + c;
            if (!afresh) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(real, out));
            _mm512_mask_storeu_ps(out, real, sum);
        });
    }
};

// A matrix that a product is rounded to.
struct Narrowed {
    Number* data;
    std::size_t stride;
    int rows, columns;

    template <int ROWS>
    void operator()(const Sums<ROWS>& sums, int row, int column) const {
        each_vector(sums, row, column, rows, columns,
                    [&](__m512 sum, int r, int c, __mmask16 real) { store_numbers(data + r * stride + c, real, sum); });
    }
};

// Writes what is right of the diagonal's panels of a symmetric matrix from what is left of it.
inline void mirror(Number* data, int size) {
    for (int row = 0; row < size; row += LANES)
        for (int column = (row / PANEL + 1) * PANEL; column < size; column += LANES) {
            __m512i square[LANES];
            for (int i = 0; i < LANES; ++i) {
                const Number* from = data + static_cast<std::size_t>(column + i) * size + row;
                const __mmask16 real = column + i < size ? lanes(size - row) : static_cast<__mmask16>(0);
                square[i] = load_spread(from, real);
            }
            transpose(square);
            for (int i = 0; i < std::min(LANES, size - row); ++i)
                store_spread(data + static_cast<std::size_t>(row + i) * size + column, lanes(size - column), square[i]);
        }
}

}  // namespace mirada
