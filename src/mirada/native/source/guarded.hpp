// Nothing is thrown across the border to Python: a call that fails gives what says so, and leaves its reason.
#pragma once

#include <exception>
#include <string>

namespace mirada {

inline thread_local std::string reason;

template <class Call>
auto guarded(Call call, decltype(call()) failed) -> decltype(call()) {
    try {
        return call();
    } catch (const std::exception& error) {
        reason = error.what();
    } catch (...) {
        reason = "an error of no known kind";
    }
    return failed;
}

}  // namespace mirada
