#include "core/engine/engine.hpp"

#include <new>

#include "core/base/error.hpp"

namespace attnscope {

std::string FailureWords::of_exception() const {
  std::string said;
  try {
    throw;
  } catch (const Cancelled&) {
    throw;
  } catch (const std::bad_alloc&) {
    said = no_memory;
  } catch (const std::exception& error) {
    said = error.what();
  } catch (...) {
  }
  return said.empty() ? unknown : said;
}

}  // namespace attnscope
