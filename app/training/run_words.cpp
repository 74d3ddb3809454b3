#include "app/training/run_words.hpp"

#include <array>
#include <cctype>

namespace attnscope {

std::string lab_task_name(std::string_view key) {
  struct Named {
    std::string_view key, name;
  };
  constexpr std::array<Named, 12> names{{{"small-induction", "Induction, small"},
                                         {"induction", "Induction"},
                                         {"reverse", "Reverse"},
                                         {"two-jobs", "Two jobs, two heads"},
                                         {"look-up", "Same-letter look-up"},
                                         {"brackets", "Brackets, Dyck-2"},
                                         {"sort", "Sort"},
                                         {"modular-addition", "Modular addition"},
                                         {"shapes", "Shapes, a small ViT"},
                                         {"millbrook", "Millbrook, next word"},
                                         {"reader", "The Reader"},
                                         {"small-reader", "The Reader, small"}}};
  for (const Named& one : names)
    if (one.key == key) return std::string(one.name);
  return std::string(key);
}

std::string lab_head_name(const training::Recipe& recipe, std::int64_t head) {
  const std::int64_t heads = recipe.network.heads;
  return "L" + std::to_string(head / heads) + "H" + std::to_string(head % heads);
}

std::string_view lab_need_word(training::Need need) {
  switch (need) {
    case training::Need::Muted: return "muted";
    case training::Need::Needed: return "needed";
    case training::Need::Shared: return "shared";
    case training::Need::Spare: return "spare";
    case training::Need::Unknown: break;
  }
  return {};
}

std::string lab_title(const Ui& ui, std::string_view name) {
  std::string title = ui.translated(name);
  if (!title.empty())
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  return own(title);
}

std::string lab_numbers(const LabState& state) { return "float32   ·   seed " + std::to_string(state.seed); }

}  // namespace attnscope
