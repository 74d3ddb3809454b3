#include "app/cli/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/built_with.hpp"
#include "app/files/paths.hpp"
#include "app/kit/gl/offscreen.hpp"
#include "app/results/choose_backend.hpp"
#include "core/base/error.hpp"
#include "core/streaming/border/instruction_sets.hpp"

namespace attnscope {
namespace {

std::string card_found() {
  const std::vector<BackendChoice> backends = list_backends();
  return backends.back().backend ? std::string(backends.back().backend->name()) : backends.back().why_not;
}

std::string opengl_found() {
  try {
    return OffscreenContext().description();
  } catch (const Error& none) {
    return none.what();
  }
}

std::string assets_found() {
  try {
    check_assets();
    return assets_directory().native();
  } catch (const Error& none) {
    return none.what();
  }
}

}  // namespace

std::string version_text() {
  const BuiltWith built = built_with();
  return fmt::format(
      "attnscope {}{}\n"
      "built with:      {}, {}: {}\n"
      "instruction set: {}\n"
      "CUDA:            {}\n"
      "OpenGL:          {}\n"
      "assets:          {}",
      ATTNSCOPE_VERSION, built.commit.empty() ? "" : fmt::format(" (commit {})", built.commit),
      built.compiler, built.kind, built.flags, fmt::join(streaming::instruction_set_names(), "; "),
      card_found(), opengl_found(), assets_found());
}

}  // namespace attnscope
