// app/pages/model: the page as the shell knows it.
#pragma once

#include <memory>

#include "app/shell/page.hpp"

namespace attnscope {

class ManyTexts;  // app/results/many_texts.hpp

class ModelScreens final : public Page {
 public:
  const PageFacts& facts() const override;
  void follow(const ViewState&) override;
  void want(const ViewState&, const ModelContext&, const Selection&, ModelWants&) const override;
  /// False while texts of a file run, which may take minutes; wait() does not wait for them.
  bool is_settled() const override;
  void draw(Scene&, const Box&) const override;
  void draw_cards(Scene&) override;
  bool step(Scene&, std::int64_t down, std::int64_t right) const override;
  bool turn_difference(Scene&) const override;

 private:
  std::shared_ptr<ManyTexts> texts_;  // of the last drawn view
};

/// For the table of pages.
PageRow model_page();

}  // namespace attnscope
