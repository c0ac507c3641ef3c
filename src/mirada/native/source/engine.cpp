// What Python calls (see library.py). Nothing is thrown across: a call that fails gives null or −1 and leaves its reason.
#include <thread>

#include "guarded.hpp"
#include "search.hpp"

namespace {

using mirada::guarded;

void require(bool holds, const char* otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
}

void check(const mirada::Shape& shape) {
    for (const int heads : {shape.encoder_heads, shape.decoder_heads})
        require(heads >= 1 && shape.width % heads == 0, "heads do not divide the width");
    require(shape.width >= 1 && shape.feed_forward >= 1 && shape.vocabulary >= 1, "a size below 1");
    require(shape.encoder_layers >= 1 && shape.decoder_layers >= 1, "no layers");
    require(shape.activation >= 0 && shape.activation <= 2, "an unknown activation");
    for (const int token : {shape.begin, shape.end})
        require(token >= 0 && token < shape.vocabulary, "a mark that is no token");
}

void check(const mirada::Model& model, const mirada::Work& work, const mirada::Wanted& wanted) {
    require(model.missing().empty(), "the model is not whole");
    require(wanted.width >= 1 && wanted.width <= 60'000 && wanted.gram >= 0, "an impossible search");
    const int places = model.shape.places > 0 ? model.shape.places : 1'000'000;
    for (int n = 0; n < work.count; ++n) {
        const std::int64_t first = work.offsets[n], last = work.offsets[n + 1];
        require(first >= 0 && last > first && last - first <= places, "a source of no tokens, or of too many");
        require(work.limits[n] >= 1 && work.limits[n] <= places, "a limit below 1, or above all places");
        require(work.order[n] >= 0 && work.order[n] < work.count, "an order of other sentences");
        for (std::int64_t place = first; place < last; ++place)
            require(work.tokens[place] >= 0 && work.tokens[place] < model.shape.vocabulary, "no such token");
    }
}

void search(const mirada::Model& model, const mirada::Wanted& wanted, mirada::Work& work, int threads) {
    std::vector<std::exception_ptr> failures(threads);
    const auto run = [&](int number) {
        try {
            mirada::Search(model, wanted).run(work);
        } catch (...) {
            failures[number] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    for (int number = 1; number < threads; ++number) others.emplace_back(run, number);
    run(0);
    for (std::thread& one : others) one.join();
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

using Results = std::vector<std::vector<mirada::Hypothesis>>;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// What Python compares with its own number, so that a library of other sources is not called. Raise both with any change
// of what is called below, of `Shape` or of `Wanted`.
std::int32_t mirada_version() { return 1; }

const char* mirada_reason() { return mirada::reason.c_str(); }

mirada::Model* mirada_model_new(const mirada::Shape* shape) {
    return guarded([&] { return check(*shape), new mirada::Model(*shape); }, nullptr);
}

void mirada_model_free(mirada::Model* model) { delete model; }

int mirada_set_linear(mirada::Model* model, const char* name, const std::int8_t* weights, const float* scales,
                      const float* bias, std::int32_t outputs, std::int32_t inputs) {
    return guarded([&] { return model->set_linear(name, weights, scales, bias, outputs, inputs), 0; }, -1);
}

int mirada_set_norm(mirada::Model* model, const char* name, const float* gain, const float* shift, std::int32_t width) {
    return guarded([&] { return model->set_norm(name, gain, shift, width), 0; }, -1);
}

int mirada_set_tokens(mirada::Model* model, std::int32_t of_encoder, const std::int8_t* weights, const float* scales,
                      const float* places) {
    return guarded([&] { return model->set_tokens(of_encoder != 0, weights, scales, places), 0; }, -1);
}

int mirada_set_said(mirada::Model* model, const std::int32_t* tokens, std::int32_t count) {
    return guarded([&] { return model->set_said(tokens, count), 0; }, -1);
}

// 0 if all numbers have come; else the reason names what is missing.
int mirada_model_whole(const mirada::Model* model) {
    return guarded([&] {
        const std::string missing = model->missing();
        return missing.empty() ? 0 : throw std::invalid_argument(missing + " is missing");
    }, -1);
}

Results* mirada_search(const mirada::Model* model, const mirada::Wanted* wanted, const std::int32_t* tokens,
                       const std::int64_t* offsets, const std::int32_t* limits, const std::int32_t* order,
                       std::int32_t count, std::int32_t threads) {
    return guarded([&] {
        mirada::Work work{tokens, offsets, limits, order, count, {0}, Results(count)};
        check(*model, work, *wanted);
        search(*model, *wanted, work, std::max(1, threads));
        return new Results(std::move(work.found));
    }, nullptr);
}

void mirada_results_free(Results* results) { delete results; }

// How many hypotheses there are in all, and how many tokens they have.
void mirada_results_size(const Results* results, std::int64_t* hypotheses, std::int64_t* tokens) {
    *hypotheses = *tokens = 0;
    for (const auto& found : *results)
        for (const mirada::Hypothesis& one : found) ++*hypotheses, *tokens += static_cast<std::int64_t>(one.tokens.size());
}

// Copy them out: how many each sentence has, and of each its length, its log-probability, whether it ended, its tokens.
void mirada_results_read(const Results* results, std::int32_t* counts, std::int32_t* lengths, double* logs,
                         std::uint8_t* finished, std::int32_t* tokens) {
    for (const auto& found : *results) {
        *counts++ = static_cast<std::int32_t>(found.size());
        for (const mirada::Hypothesis& one : found) {
            *lengths++ = static_cast<std::int32_t>(one.tokens.size());
            *logs++ = one.log;
            *finished++ = one.finished;
            tokens = std::copy(one.tokens.begin(), one.tokens.end(), tokens);
        }
    }
}

}  // extern "C"
#pragma GCC visibility pop
