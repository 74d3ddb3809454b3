// app/cli/parts: how a program ends. Exit codes: 0 success, 1 bad input, 2 bad usage; an error is one
// sentence on stderr.
#pragma once

#include <functional>
#include <string_view>

namespace attnscope {

inline constexpr int bad_input = 1, bad_usage = 2;

/// "attnscope: The sentence." on stderr. Returns the exit code.
int complain(std::string_view program, std::string_view sentence, int exit_code);

/// The exit code that `work` returns. An exception is bad input, and so is a failed write to stdout, which is
/// flushed to find out: a full disk shows only then. Throws nothing.
int exit_code_of(std::string_view program, const std::function<int()>& work);

/// Keeps freed memory in the process. A model runs again after every letter and its results need the same
/// memory each time; new pages from the system would take a tenth of a run. For main() to call first.
void keep_freed_memory();

}  // namespace attnscope
