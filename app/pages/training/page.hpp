// app/pages/training: the page as the shell knows it: it trains small models and shows them as they learn.
#pragma once

#include "app/shell/page.hpp"
#include "app/training/training_runs.hpp"

namespace attnscope {

/// The App owns the runs: training lessons use them, too.
class TrainingPage final : public Page {
 public:
  explicit TrainingPage(const PageSupplies& supplies) : runs_(supplies.training) {}

  const PageFacts& facts() const override;
  bool is_settled() const override { return runs_ == nullptr || runs_->is_settled(); }
  void wait() const override;
  bool is_moving(const ViewState&) const override;
  void draw(Scene&, const Box&) const override;
  /// Writes every measurement of the run on screen as .csv. Throws Error.
  void save_table(const std::filesystem::path& to) const override;

 private:
  const TrainingRuns* runs_;  // null: nothing trains
};

/// For the table of pages.
PageRow training_page();

}  // namespace attnscope
