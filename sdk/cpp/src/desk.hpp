// An event loop of one thread: other threads post tasks, the desk runs them in order.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

namespace arena {

using Clock = std::chrono::steady_clock;

class Desk {
 public:
  using Task = std::function<void()>;

  // From any thread.
  void post(Task task);
  // Runs the next task, and waits for one until then; false if none came. What a task throws is passed on.
  bool run_one(std::optional<Clock::time_point> until);

 private:
  std::mutex lock_;
  std::condition_variable come_;
  std::deque<Task> tasks_;
};

}  // namespace arena
