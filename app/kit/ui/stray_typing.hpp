// app/kit/ui: tells words that are typed while no text field has the keyboard from single keys that were
// meant as such. Time is any clock in seconds.
#pragma once

#include <set>
#include <string>

namespace attnscope {

/// Letters are words once three different ones came in a row, or two different ones of which one is no
/// action's key; each at most `most_gap` after the one before. Digits, spaces and punctuation may stand
/// between them. The same key again and again, as when stages or heads are gone through, is never a word.
class StrayTyping {
 public:
  static constexpr double most_gap = 0.4;

  /// At the start of each frame; `waiting`: more keys than one frame takes have come. The first frame after
  /// a key is where the gap begins: what was typed while a slow frame was made waited for it.
  void frame(double seconds, bool waiting) {
    if (late_) last_ = seconds;
    late_ = late_ && waiting;
  }
  /// Nothing was typed within the gap: what comes now begins anew.
  bool is_over(double seconds) const { return seconds - last_ > most_gap; }
  void begin(double seconds);
  /// A key that has not brought its character yet.
  void touch(double seconds) {
    last_ = seconds;
    late_ = true;
  }
  /// One more character, and whether it is the key of an action.
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
  bool late_ = false;           // a frame has taken a key and none has begun since
  std::set<char32_t> letters_;  // different ones, without case
  bool idle_ = false;           // one of them is no action's key
  std::string text_;
};

}  // namespace attnscope
