// app/training: a head's name with the word for what it is needed for, and its numbers beside or below its
// picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// "induction", and the word for what ablating the head costs: "shared". Scores that the page does not show
/// are not named.
struct HeadTitle {
  std::string name = "no name yet";
  std::string_view need;
  bool is_named = false;
};
/// `below`: the word has a line of its own, of width `room_of_need`.
void draw_head_title(const Ui&, const HeadTitle&, ImVec2 at, float room, float room_of_need, bool below);

struct HeadFact {
  std::string_view label;
  double value;
};
/// Width of the numbers beside a head's picture, gap included: enough for the longest label.
float width_of_facts(const Ui&, const std::vector<HeadFact>&);
/// Label and number below each other, as many as there is room for.
void draw_facts_beside(const Ui&, const std::vector<HeadFact>&, const Box&);
/// Two numbers a line. A label longer than half the line takes what the other column does not need.
void draw_facts_below(const Ui&, const std::vector<HeadFact>&, const Box&);
/// The word for what the head is needed for, and as many numbers as fit into the line, the first of them
/// last.
void draw_facts_in_line(const Ui&, std::string_view need, const std::vector<HeadFact>&, const Box& line);

}  // namespace attnscope
