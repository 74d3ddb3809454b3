#include "app/kit/widgets/row_list.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {

RowList::RowList(const Ui& ui, const char* label, const Box& box, float row_height, std::int64_t rows,
                 std::int64_t& kept, std::int64_t follow)
    : ui_(ui), box_(box), row_height_(row_height), rows_(rows) {
  const auto fitting = static_cast<std::int64_t>(std::max(1.f, std::floor(box.h / row_height)));
  const std::int64_t visible = std::min(rows, fitting);
  box_.h = row_height * static_cast<float>(std::max<std::int64_t>(visible, 1));
  ImGuiStorage& memory = *ImGui::GetStateStorage();
  const ImGuiID followed_id = ImGui::GetID(label), seen_id = followed_id ^ 0x726fu;
  const float beside = ui.px(8);  // room for marks at the left of the rows
  ImGui::SetCursorScreenPos({box_.x - beside, box_.y});
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild(label, {box_.w + beside + ui.px(12), box_.h}, ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoBackground);
  // The child's content scrolls by pixels; rows are drawn at whole-row positions in the box.
  top_ = ImGui::GetCursorScreenPos().y;
  first_ = std::clamp<std::int64_t>(std::llround(ImGui::GetScrollY() / row_height), 0, rows - visible);
  last_ = first_ + visible;
  if (kept != memory.GetInt(seen_id)) {
    begin_with(kept);
  } else {
    kept = first_;
  }
  memory.SetInt(seen_id, static_cast<int>(kept));
  const int before = memory.GetInt(followed_id, -1);
  if (follow < 0 || follow >= rows || before == static_cast<int>(follow)) return;
  memory.SetInt(followed_id, static_cast<int>(follow));
  if (before < 0 && kept > 0) return;  // the list was opened at the row where it was left
  if (follow < first_) begin_with(follow);
  if (follow >= last_) begin_with(follow - visible + 1);
}

RowList::~RowList() {
  ImGui::SetCursorScreenPos({box_.x, top_ + row_height_ * static_cast<float>(rows_) - 1});
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

Box RowList::row(std::int64_t index) const {
  return {box_.x, box_.y + row_height_ * static_cast<float>(index - first_), box_.w, row_height_};
}

void RowList::begin_with(std::int64_t row) const {
  ImGui::SetScrollY(row_height_ * static_cast<float>(std::clamp<std::int64_t>(row, 0, rows_)));
}

}  // namespace attnscope
