// Beam search, greedy where its width is 1: what decoding/beam.py does, for sentences that come and go.
//
// A sentence stops when as many of its hypotheses have ended as the beam is wide, or at its limit. When it is done its
// rows are given to the next one, so that every step has as many rows as it can.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "layers.hpp"

namespace mirada {

// What is asked for; mirrored by `Wanted` of library.py.
struct Wanted {
    std::int32_t width;  // of the beam
    std::int32_t gram;   // n-grams of so many tokens may not come twice, and something must be said; 0: all may
};

// Sources one after another: that of sentence n begins at offsets[n]. They are taken in this order.
struct Work {
    const std::int32_t* tokens;
    const std::int64_t* offsets;
    const std::int32_t* limits;
    const std::int32_t* order;
    int count;
    std::atomic<int> next{0};
    std::vector<std::vector<Hypothesis>> found;
};

class Search {
  public:
    Search(const Model& model, const Wanted& wanted) : model_(model), wanted_(wanted), layers_(model) {}

    void run(Work& work) {
        for (;;) {
            take(work);
            if (active_.empty()) return;
            step();
            leave(work);
        }
    }

  private:
    static constexpr int ROWS = 60;      // of a step: the weights are read from memory once for all of them
    static constexpr int REFILL = 16;    // rows that are worth reading new sources for
    static constexpr int TOKENS = 2048;  // of sources that are read together: what their states may take

    struct Option {
        double log;
        int slot;
        std::int32_t token;
    };

    // Read new sources where there is room for them.
    void take(Work& work) {
        const int room = std::max(ROWS, wanted_.width) - static_cast<int>(active_.size()) * wanted_.width;
        if (!active_.empty() && room < std::max(REFILL, wanted_.width)) return;
        std::vector<Sentence*> fresh;
        int tokens = 0;
        for (int free = room; free >= wanted_.width && tokens < TOKENS; free -= wanted_.width) {
            const int place = work.next.fetch_add(1);
            if (place >= work.count) break;
            Sentence& one = slot();
            const int number = work.order[place];
            one.number = number;
            one.source = work.tokens + work.offsets[number];
            one.length = static_cast<int>(work.offsets[number + 1] - work.offsets[number]);
            one.limit = work.limits[number];
            one.step = 0;
            one.found.clear();
            one.running.assign(1, Candidate{0, model_.shape.begin, {}, {}});  // all others would be the same
            one.past.begin(model_.shape.decoder_layers, wanted_.width, model_.shape.width);
            tokens += one.length;
            fresh.push_back(&one);
        }
        if (fresh.empty()) return;
        layers_.read(fresh);
        active_.insert(active_.end(), fresh.begin(), fresh.end());
    }

    Sentence& slot() {
        if (idle_.empty()) {
            all_.push_back(std::make_unique<Sentence>());
            idle_.push_back(all_.back().get());
        }
        Sentence* one = idle_.back();
        idle_.pop_back();
        return *one;
    }

    void step() {
        rows_.clear();
        for (Sentence* one : active_)
            for (int slot = 0; slot < static_cast<int>(one->running.size()); ++slot) rows_.push_back({one, slot});
        float* scores = layers_.step(rows_);
        for (Sentence* one : active_) {
            extend(*one, scores);
            scores += one->before.size() * layers_.stride();
        }
    }

    // One more token for each candidate of a sentence.
    void extend(Sentence& one, float* scores) {
        const int width = wanted_.width;
        options_.clear();
        for (int slot = 0; slot < static_cast<int>(one.running.size()); ++slot)
            gather(one, slot, scores + static_cast<std::size_t>(slot) * layers_.stride());
        // Twice as many as the beam is wide, so that as many go on even if all others end.
        const std::size_t kept = std::min<std::size_t>(options_.size(), 2 * static_cast<std::size_t>(width));
        std::partial_sort(options_.begin(), options_.begin() + kept, options_.end(), better);
        std::swap(one.running, one.before);
        one.running.clear();
        for (std::size_t rank = 0; rank < kept; ++rank) {
            const Option& option = options_[rank];
            const Candidate& parent = one.before[option.slot];
            if (option.token == model_.shape.end) {
                if (rank < static_cast<std::size_t>(width)) one.found.push_back({parent.said, option.log, true});
            } else if (static_cast<int>(one.running.size()) < width) {
                one.running.push_back(child(parent, option));
            }
        }
        ++one.step;
    }

    static bool better(const Option& one, const Option& other) {
        if (one.log != other.log) return one.log > other.log;
        return one.slot != other.slot ? one.slot < other.slot : one.token < other.token;
    }

    static Candidate child(const Candidate& parent, const Option& option) {
        Candidate made{option.log, option.token, {}, {}};
        made.said.reserve(parent.said.size() + 1);
        made.said = parent.said;
        made.said.push_back(option.token);
        made.ancestors.reserve(parent.ancestors.size() + 1);
        made.ancestors = parent.ancestors;
        made.ancestors.push_back(static_cast<std::uint16_t>(option.slot));
        return made;
    }

    // The best tokens behind one candidate.
    void gather(const Sentence& one, int slot, float* scores) {
        const Candidate& candidate = one.running[slot];
        const int count = model_.projection.outputs();
        if (wanted_.gram > 0) refuse(candidate.said, scores);
        blocks_.resize((count + BLOCK - 1) / BLOCK);
        const float top = largest_of_blocks(scores, count, blocks_.data());
        if (!(top > -INFINITY)) return;  // nothing may be said, or the weights are no numbers
        const double rest = top + std::log(static_cast<double>(sum_of_exponentials(scores, count, top)));
        choose(scores, count, std::min(count, 2 * wanted_.width));
        for (const auto& [score, place] : best_)
            options_.push_back({candidate.log + (score - rest), slot, token_of(place)});
    }

    // The `wanted` largest scores, in no order. As many blocks have a score that is as large as the block's largest, so
    // only those are looked through whose largest is among the `wanted` largest of blocks.
    void choose(const float* scores, int count, int wanted) {
        float least = -INFINITY;
        if (static_cast<int>(blocks_.size()) > wanted) {
            ranked_ = blocks_;
            std::nth_element(ranked_.begin(), ranked_.begin() + wanted - 1, ranked_.end(), std::greater<float>());
            least = ranked_[wanted - 1];
        }
        best_.clear();
        for (std::size_t block = 0; block < blocks_.size(); ++block) {
            if (!(blocks_[block] >= least)) continue;
            const int first = static_cast<int>(block) * BLOCK, last = std::min(count, first + BLOCK);
            for (int i = first; i < last; i += LANES) {
                const __mmask16 real = lanes(last - i);
                const __m512 x = _mm512_maskz_loadu_ps(real, scores + i);
                unsigned larger = _mm512_mask_cmp_ps_mask(real, x, _mm512_set1_ps(least), _CMP_GE_OQ);
                for (; larger != 0; larger &= larger - 1) {
                    const int place = i + __builtin_ctz(larger);
                    if (scores[place] > -INFINITY) best_.emplace_back(scores[place], place);
                }
            }
        }
        if (static_cast<int>(best_.size()) <= wanted) return;
        const auto greater = [](const auto& one, const auto& other) {
            return one.first != other.first ? one.first > other.first : one.second < other.second;
        };
        std::nth_element(best_.begin(), best_.begin() + wanted - 1, best_.end(), greater);
        best_.resize(wanted);
    }

    // Take away what would say an n-gram twice, and an end before anything was said.
    void refuse(const std::vector<std::int32_t>& said, float* scores) {
        const std::size_t gram = wanted_.gram;
        if (said.empty()) take_away(model_.shape.end, scores);
        if (said.size() < gram) return;
        const std::int32_t* last = said.data() + said.size() - (gram - 1);
        for (std::size_t first = 0; first + gram <= said.size(); ++first)
            if (std::equal(last, last + gram - 1, said.data() + first)) take_away(said[first + gram - 1], scores);
    }

    void take_away(std::int32_t token, float* scores) const {
        if (model_.said.empty()) {
            scores[token] = -INFINITY;
            return;
        }
        const auto found = std::lower_bound(model_.said.begin(), model_.said.end(), token);
        if (found != model_.said.end() && *found == token) scores[found - model_.said.begin()] = -INFINITY;
    }

    std::int32_t token_of(int place) const { return model_.said.empty() ? place : model_.said[place]; }

    // Sentences that are done make room.
    void leave(Work& work) {
        const auto done = [&](Sentence* one) {
            const bool at_limit = one->step >= one->limit;
            const bool enough = static_cast<int>(one->found.size()) >= wanted_.width;
            if (!at_limit && !enough && !one->running.empty()) return false;
            if (at_limit)
                for (Candidate& candidate : one->running) one->found.push_back({candidate.said, candidate.log, false});
            work.found[one->number] = std::move(one->found);
            idle_.push_back(one);
            return true;
        };
        active_.erase(std::remove_if(active_.begin(), active_.end(), done), active_.end());
    }

    const Model& model_;
    const Wanted wanted_;
    Layers layers_;
    std::vector<std::unique_ptr<Sentence>> all_;
    std::vector<Sentence*> idle_, active_;
    std::vector<Row> rows_;
    std::vector<Option> options_;
    std::vector<std::pair<float, int>> best_;
    std::vector<float> blocks_, ranked_;
};

}  // namespace mirada
