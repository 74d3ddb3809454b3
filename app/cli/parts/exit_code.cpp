#include "app/cli/parts/exit_code.hpp"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <malloc.h>
#include <new>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace attnscope {
namespace {

int once_printed(std::string_view program, int exit_code) {
  const bool left = std::fflush(stdout) == 0;
  if (exit_code != 0 || (left && std::ferror(stdout) == 0)) return exit_code;
  const std::string why =
      left ? "a part of what was printed is lost" : std::generic_category().message(errno);
  return complain(program, fmt::format("Cannot write to the standard output: {}.", why), bad_input);
}

}  // namespace

int complain(std::string_view program, std::string_view sentence, int exit_code) {
  fmt::print(stderr, "{}: {}\n", program, sentence);
  return exit_code;
}

int exit_code_of(std::string_view program, const std::function<int()>& work) {
  try {
    return once_printed(program, work());
  } catch (const std::bad_alloc&) {
    return complain(program, "There is not enough memory for this input.", bad_input);
  } catch (const std::exception& error) {
    return complain(program, error.what(), bad_input);
  }
}

void keep_freed_memory() {
#if defined(__GLIBC__)
  constexpr int megabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * megabyte);  // the most that glibc takes
  mallopt(M_TRIM_THRESHOLD, 512 * megabyte);
#endif
}

}  // namespace attnscope
