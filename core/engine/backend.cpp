#include "core/engine/backend.hpp"

#include <utility>

namespace attnscope {

Measures Backend::measure(const Document& document, const Trace& trace, MaskFactsPtr facts,
                          std::stop_token stop) {
  Measures made;
  on_cpu(std::move(stop),
         [&](const Work& work) { made = attnscope::measure(work, document, trace, std::move(facts)); });
  return made;
}

TensorPtr Backend::overview(const TensorPtr&, std::stop_token) { return nullptr; }

}  // namespace attnscope
