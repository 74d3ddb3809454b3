#include "app/results/predicted_name.hpp"

#include "app/kit/ui/own_words.hpp"

namespace attnscope {

std::string predicted_name(const OpenedModel& model, std::int64_t id) {
  std::string label = prediction_label(model, id);
  if (const std::size_t begin = label.find_first_not_of(' '); begin != std::string::npos)
    label.erase(0, begin);
  return own(label);
}

}  // namespace attnscope
