// When to stop: a deadline on the wall clock, a limit on work, a flag that another thread raises.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>

namespace supersparse {

class Clock {
 public:
  Clock(double seconds, int64_t work_limit, const int32_t* cancelled)
      : start_(std::chrono::steady_clock::now()), seconds_(seconds), work_limit_(work_limit), cancelled_(cancelled) {}

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  // Count work done (one unit: one row of one column read) and say whether to stop.
  bool spend(int64_t units) {
    const int64_t total = work_.fetch_add(units, std::memory_order_relaxed) + units;
    if (total >= work_limit_ || (cancelled_ && __atomic_load_n(cancelled_, __ATOMIC_RELAXED)) || elapsed() >= seconds_) stopped_ = true;
    return stopped_;
  }
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }
  int64_t work() const { return work_; }

 private:
  std::chrono::steady_clock::time_point start_;
  double seconds_;
  int64_t work_limit_;
  const int32_t* cancelled_;
  std::atomic<int64_t> work_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace supersparse
