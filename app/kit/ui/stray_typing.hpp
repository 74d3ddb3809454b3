// app/kit/ui: distinguishes words that are typed while no text field has the keyboard from single keys that
// mean actions. Time is any clock in seconds.
#pragma once

#include <set>
#include <string>

namespace attnscope {

/// Letters are words after three different ones in a row, or after two different ones of which one is not the
/// key of an action; each at most `most_gap` after the one before. Digits, spaces and punctuation may be
/// between them. The same key again and again, as when stages or heads are stepped through, is never a word.
class StrayTyping {
 public:
  static constexpr double most_gap = 0.4;

  /// Call at the start of each frame; `waiting`: more keys have come than one frame takes. The gap is counted
  /// from the first frame after a key: what was typed during a slow frame has waited for it.
  void frame(double seconds, bool waiting) {
    if (late_) last_ = seconds;
    late_ = late_ && waiting;
  }
  /// Nothing was typed within the gap: the next key begins a new word.
  bool is_over(double seconds) const { return seconds - last_ > most_gap; }
  void begin(double seconds);
  /// A key was pressed whose character has not arrived yet.
  void touch(double seconds) {
    last_ = seconds;
    late_ = true;
  }
  /// Adds a character; `acts`: it is the key of an action.
  void add(char32_t character, bool acts, double seconds);
  void end() {
    begin(-1e9);
    late_ = false;
  }

  bool are_words() const { return letters_.size() >= 3 || (letters_.size() >= 2 && idle_); }
  /// All that was typed since begin(), as UTF-8.
  const std::string& text() const { return text_; }

 private:
  double last_ = -1e9;
  bool late_ = false;           // a frame has taken a key, and none has begun since
  std::set<char32_t> letters_;  // different ones, without case
  bool idle_ = false;           // one of them is not the key of an action
  std::string text_;
};

}  // namespace attnscope
