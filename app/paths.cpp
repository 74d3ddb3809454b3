#include "app/paths.hpp"

#include <cstdlib>

namespace attnscope {

std::filesystem::path assets_directory() {
  const char* chosen = std::getenv("ATTNSCOPE_ASSETS");
  return chosen && *chosen ? chosen : ATTNSCOPE_ASSETS;
}

}  // namespace attnscope
