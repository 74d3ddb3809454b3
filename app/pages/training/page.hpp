// app/pages/training: the page as the shell knows it: small models learn while one watches.
#pragma once

#include "app/shell/page.hpp"
#include "app/training/training_runs.hpp"

namespace attnscope {

/// The runs are the App's: lessons that train go on with them.
class TrainingPage final : public Page {
 public:
  explicit TrainingPage(const PageSupplies& supplies) : runs_(supplies.training) {}

  const PageFacts& facts() const override;
  bool is_settled() const override { return runs_ == nullptr || runs_->is_settled(); }
  void wait() const override;
  bool is_moving(const ViewState&) const override;
  void draw(Scene&, const Box&) const override;
  /// Every measurement of the run on screen.
  void save_table(const std::filesystem::path& to) const override;

 private:
  const TrainingRuns* runs_;  // null: nothing trains
};

/// For the table of pages.
PageRow training_page();

}  // namespace attnscope
