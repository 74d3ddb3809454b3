// app/kit/ui: records the items that the interface draws in a frame, through Dear ImGui's own test hooks, so
// that a robot can find every widget by its label. Costs one branch per widget unless it is recording.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

namespace attnscope {

struct RecordedItem {
  ImGuiID id = 0;
  ImGuiID seed = 0;  // top of the window's ID stack: id == ImHashStr(label, 0, seed) finds unlabelled widgets
  std::string label;  // as reported by the widget, without "##…"; may be empty
  std::string window;
  ImVec2 min, max;       // the part inside its window's clip rectangle; the whole item if there is none
  bool visible = false;  // whether there is such a part
};

class ItemRecorder {
 public:
  ItemRecorder() = default;
  ~ItemRecorder() { stop(); }
  ItemRecorder(const ItemRecorder&) = delete;
  ItemRecorder& operator=(const ItemRecorder&) = delete;

  /// Starts recording in the current ImGui context; one recorder per context. The context must outlive the
  /// recording.
  void start();
  void stop();
  void clear() { items_.clear(); }
  /// The first item drawn with this label (or this ID string, "##…" included), visible ones before others;
  /// null if there is none.
  const RecordedItem* find(std::string_view label) const;
  const std::vector<RecordedItem>& items() const { return items_; }

  void add(RecordedItem item) { items_.push_back(std::move(item)); }
  void label(ImGuiID id, const char* text);

 private:
  ImGuiContext* context_ = nullptr;  // null: not recording
  std::vector<RecordedItem> items_;
};

}  // namespace attnscope
