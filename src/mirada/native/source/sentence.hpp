// A sentence while it is translated: what the decoder looks at, what its candidates have said, and what has ended.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model.hpp"
#include "vectors.hpp"

namespace mirada {

// A translation, without its end mark, and whether that was reached.
struct Hypothesis {
    std::vector<std::int32_t> tokens;
    double log = 0;
    bool finished = false;
};

// Keys, and behind them values, of all that the candidates have said. Nothing is moved when candidates change places: each of them
// knows in which place its ancestor stood at every step.
class Past {
  public:
    void begin(int layers, int slots, int width) {
        slots_ = slots;
        width_ = width;
        if (static_cast<int>(blocks_.size()) < layers) blocks_.resize(layers);
    }
    Half* keys(int layer, int step, int slot) {
        return block(layer, step) + (static_cast<std::size_t>(step % STEPS) * slots_ + slot) * width_ * 2;
    }

  private:
    static constexpr int STEPS = 16;  // of a block: a sentence seldom needs more than two

    Half* block(int layer, int step) {
        std::vector<Buffer<Half>>& own = blocks_[layer];
        if (step / STEPS >= static_cast<int>(own.size())) own.emplace_back();
        return own[step / STEPS].of(static_cast<std::size_t>(STEPS) * slots_ * width_ * 2);
    }

    int slots_ = 0, width_ = 0;
    std::vector<std::vector<Buffer<Half>>> blocks_;
};

// What is running: the token said last, all before it, and where its ancestors stood.
struct Candidate {
    double log = 0;
    std::int32_t token = 0;
    std::vector<std::int32_t> said;
    std::vector<std::uint16_t> ancestors;
};

struct Sentence {
    int number = 0;  // among those that were given
    const std::int32_t* source = nullptr;
    int length = 0, limit = 0;
    int step = 0;  // how many tokens each candidate has said
    Memory memory;
    Past past;
    std::vector<Candidate> running, before;
    std::vector<Hypothesis> found;
};

}  // namespace mirada
