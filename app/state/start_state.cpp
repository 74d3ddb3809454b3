#include "app/state/start_state.hpp"

#include <algorithm>
#include <string_view>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, first_steps> names{"scaling", "future", "sentence"};
constexpr std::string_view left_name = "left";
constexpr std::uint64_t longest = 4096;  // bytes

std::filesystem::path first_steps_in(const std::filesystem::path& directory) {
  return directory / "first-steps";
}

}  // namespace

bool StartState::all_done() const { return std::ranges::all_of(steps, &Step::done); }

StartState read_start(const std::filesystem::path& directory) {
  StartState start;
  if (directory.empty()) return start;
  try {
    const std::string text = "\n" + read_whole(first_steps_in(directory), longest) + "\n";
    const auto says = [&text](std::string_view word) {
      return text.find("\n" + std::string(word) + "\n") != std::string::npos;
    };
    for (std::size_t i = 0; i < first_steps; ++i) start.steps[i].done = says(names[i]);
    start.left = says(left_name);
  } catch (const Error&) {  // on the first run there is no file
  }
  return start;
}

void write_start(const std::filesystem::path& directory, const StartState& start) {
  if (directory.empty()) return;
  std::string text;
  for (std::size_t i = 0; i < first_steps; ++i)
    if (start.steps[i].done) text += std::string(names[i]) + "\n";
  if (start.left) text += std::string(left_name) + "\n";
  try {
    std::error_code unknown;
    std::filesystem::create_directories(directory, unknown);
    write_atomically(first_steps_in(directory), std::array{std::string_view(text)});
  } catch (const Error&) {
  }
}

}  // namespace attnscope
