// app/cli/parts: how a program ends. Exit codes: 0 success, 1 bad input, 2 bad usage; whatever went wrong is
// one sentence on stderr, and nothing else is written there.
#pragma once

#include <functional>
#include <string_view>

namespace attnscope {

inline constexpr int bad_input = 1, bad_usage = 2;

/// "attnscope: The sentence." on stderr. Returns the exit code.
int complain(std::string_view program, std::string_view sentence, int exit_code);

/// What `work` returns. An error that it throws is bad input, and so is a part of stdout that is lost: what
/// was printed is there when its last byte has left, and a full disk shows no earlier than that. Throws
/// nothing.
int exit_code_of(std::string_view program, const std::function<int()>& work);

/// A model is run again with every letter, and its results take the same room each time: given back to the
/// system in between, fresh pages of it cost a tenth of a run. For main() to call first.
void keep_freed_memory();

}  // namespace attnscope
