// app/views/backends: a card above the regions, in its own window, so that clicks do not reach what lies
// under it. It scrolls if it is larger than the screen.
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

  /// The y of its contents, which is above the card after scrolling.
  float top() const { return top_; }

 private:
  float height_;  // of the contents
  CardWindow window_;
  float top_ = 0;
};

}  // namespace attnscope
