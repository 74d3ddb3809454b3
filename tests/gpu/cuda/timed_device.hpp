// tests: a Device that measures another: milliseconds of each pass by the card's own clock and from launch to
// end by the computer's, bytes taken.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/device.hpp"

namespace attnscope::on_card {

using Clock = std::chrono::steady_clock;
inline double milliseconds_since(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

class TimedDevice final : public gpu::Device {
 public:
  explicit TimedDevice(std::unique_ptr<gpu::Device> other) : other_(std::move(other)) {}

  /// Launches are waited for and timed; otherwise they are only handed on.
  bool times = false;
  /// Since clear_times(), by the index of the pass in AnyPass.
  std::array<double, std::variant_size_v<gpu::AnyPass>> milliseconds{}, wall{};
  void clear_times() {
    milliseconds.fill(0);
    wall.fill(0);
  }
  std::size_t allocated() const { return allocated_; }
  std::size_t most_allocated() const { return most_allocated_; }
  /// Bytes that crossed, since the start.
  std::size_t uploaded() const { return uploaded_; }
  std::size_t downloaded() const { return downloaded_; }

  const gpu::DeviceFacts& facts() const override { return other_->facts(); }
  void* allocate(std::size_t bytes) override {
    void* memory = other_->allocate(bytes);
    const std::lock_guard lock(mutex_);
    sizes_[memory] = bytes;
    allocated_ += bytes;
    most_allocated_ = std::max(most_allocated_, allocated_);
    return memory;
  }
  void free(void* memory) noexcept override {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = sizes_.find(memory); found != sizes_.end()) {
        allocated_ -= found->second;
        sizes_.erase(found);
      }
    }
    other_->free(memory);
  }
  void upload(void* to, const void* from, std::size_t bytes, std::size_t apart, std::size_t rows) override {
    uploaded_ += bytes * rows;
    other_->upload(to, from, bytes, apart, rows);
  }
  gpu::HostBlock host_block(std::size_t bytes) override { return other_->host_block(bytes); }
  void fetch(void* to, const void* from, std::size_t bytes) override {
    downloaded_ += bytes;
    other_->fetch(to, from, bytes);
  }
  void clear(void* memory, std::size_t bytes) override { other_->clear(memory, bytes); }
  void trim() override { other_->trim(); }
  std::size_t free_memory() override { return other_->free_memory(); }
  bool can_multiply(std::string& why_not) override { return other_->can_multiply(why_not); }
  void multiply(const gpu::RowProduct& product) override { other_->multiply(product); }
  void launch(const gpu::AnyPass& pass, gpu::Units units, int blocks) override {
    if (!times) return other_->launch(pass, units, blocks);
    other_->wait();
    const Clock::time_point begin = Clock::now();
    other_->start_clock();
    other_->launch(pass, units, blocks);
    other_->wait();
    const double on_card = other_->clock_milliseconds(), around = milliseconds_since(begin);
    milliseconds[pass.index()] += on_card < 0 ? around : on_card;
    wall[pass.index()] += around;
  }
  int resident_blocks(const gpu::AnyPass& pass, gpu::Units units) override {
    return other_->resident_blocks(pass, units);
  }
  void wait() override { other_->wait(); }
  gpu::Mark mark() override { return other_->mark(); }
  void wait_for(gpu::Mark mark) override { other_->wait_for(mark); }
  void start_clock() override { other_->start_clock(); }
  double clock_milliseconds() override { return other_->clock_milliseconds(); }
  gpu::StaleWord current() override { return other_->current(); }
  void make_stale() noexcept override { other_->make_stale(); }

 private:
  std::unique_ptr<gpu::Device> other_;
  std::map<void*, std::size_t> sizes_;
  std::size_t allocated_ = 0, most_allocated_ = 0, uploaded_ = 0;
  std::atomic<std::size_t> downloaded_{0};
  std::mutex mutex_;
};

}  // namespace attnscope::on_card
