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
  /// The texts of a file may be run for minutes: they are waited for by is_settled() alone.
  bool is_settled() const override;
  void draw(Scene&, const Box&) const override;
  void draw_cards(Scene&) override;
  bool step(Scene&, std::int64_t down, std::int64_t right) const override;
  bool turn_difference(Scene&) const override;

 private:
  std::shared_ptr<ManyTexts> texts_;  // of the view that was drawn last
};

/// For the table of pages.
PageRow model_page();

}  // namespace attnscope
