#include "app/exports/words/pattern_words.hpp"

#include <cmath>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"

namespace attnscope {

std::string pattern_sentence(const PatternCell& cell) {
  const std::string number = std::to_string(cell.head), query = own(cell.query), key = own(cell.key);
  if (cell.layer) {
    const std::string layer = std::to_string(*cell.layer);
    if (cell.is_hidden)
      return fmt::format("In layer {}, head {}, the mask hides “{}” from “{}”.", layer, number, key, query);
    return fmt::format("In layer {}, head {} looks from “{}” at “{}” with a weight of {}.", layer, number,
                       query, key, own_number(cell.weight));
  }
  if (cell.is_hidden) return fmt::format("In head {}, the mask hides “{}” from “{}”.", number, key, query);
  return fmt::format("Head {} looks from “{}” at “{}” with a weight of {}.", number, query, key,
                     own_number(cell.weight));
}

std::string row_sentence(const PatternCell& cell) {
  if (std::isnan(cell.entropy) || cell.allowed < 2) return {};
  return fmt::format("Its row has an entropy of {} nats; uniform attention over the same keys has {}.",
                     fixed(cell.entropy, 2), fixed(std::log(static_cast<double>(cell.allowed)), 2));
}

}  // namespace attnscope
