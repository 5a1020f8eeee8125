// An event loop of one thread: other threads post tasks, the desk runs them in order.
#include "desk.hpp"

namespace arena {

void Desk::post(Task task) {
  {
    const std::lock_guard guard(lock_);
    tasks_.push_back(std::move(task));
  }
  come_.notify_one();
}

bool Desk::run_one(std::optional<Clock::time_point> until) {
  Task task;
  {
    std::unique_lock guard(lock_);
    const auto some = [this] { return !tasks_.empty(); };
    if (!until) {
      come_.wait(guard, some);
    } else if (!come_.wait_until(guard, *until, some)) {
      return false;
    }
    task = std::move(tasks_.front());
    tasks_.pop_front();
  }
  task();
  return true;
}

}  // namespace arena
