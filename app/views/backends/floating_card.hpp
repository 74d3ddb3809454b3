// app/views/backends: a card above the regions, in a window of its own, so that what lies under it is not
// touched through it. What does not fit on the screen can be scrolled to.
#pragma once

#include "app/kit/widgets/card_window.hpp"

namespace attnscope {

class FloatingCard {
 public:
  /// `box` is cut off at the bottom of the screen.
  FloatingCard(const Ui&, const char* name, const Box& box);
  ~FloatingCard();
  FloatingCard(const FloatingCard&) = delete;
  FloatingCard& operator=(const FloatingCard&) = delete;

  /// Where its contents begin, with what is scrolled away above the card.
  float top() const { return top_; }

 private:
  float height_;  // of the contents
  CardWindow window_;
  float top_ = 0;
};

}  // namespace attnscope
