// app/pages/experiments: the page as the shell knows it.
#pragma once

#include "app/pages/experiments/experiment_runs.hpp"
#include "app/shell/page.hpp"

namespace attnscope {

class Experiments final : public Page {
 public:
  explicit Experiments(const PageSupplies& supplies) : runs_(supplies.wake) {}

  const PageFacts& facts() const override;
  /// Stops measuring in other modes.
  void follow(const ViewState&) override;
  bool is_settled() const override { return runs_.is_settled(); }
  void wait() const override;
  bool is_moving(const ViewState&) const override;
  void draw(Scene&, const Box&) const override;
  void save_table(const std::filesystem::path& to) const override;
  PageSeries series(const ViewState&) const override;
  void choose_in_series(ViewState&, std::optional<double> value) const override;

  const ShownExperiment& shown_experiment() const { return runs_.shown_experiment(); }

 private:
  ExperimentRuns runs_;
};

/// The experiment on screen and its measurements; null if there is none.
const ShownExperiment* shown_experiment(const Scene&);

/// For the table of pages.
PageRow experiments_page();

}  // namespace attnscope
