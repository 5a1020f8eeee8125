// A thread pool in which bots think: tasks of one lane run one after the other, lanes run at the same time.
#include "thinkers.hpp"

namespace arena {

Thinkers::Thinkers(unsigned most) : most_(most) {}

Thinkers::~Thinkers() {
  {
    const std::lock_guard guard(lock_);
    closed_ = true;
  }
  come_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Thinkers::put(const std::shared_ptr<Lane>& lane, Task task) {
  const std::lock_guard guard(lock_);
  lane->tasks_.push_back(std::move(task));
  ++tasks_;
  if (lane->taken_) return;
  lane->taken_ = true;
  ready_.push_back(lane);
  if (resting_ < ready_.size() && threads_.size() < most_) threads_.emplace_back([this] { work(); });
  come_.notify_one();
}

bool Thinkers::idle() const {
  const std::lock_guard guard(lock_);
  return tasks_ == 0;
}

bool Thinkers::wait_idle(std::chrono::duration<double> most) {
  std::unique_lock guard(lock_);
  return done_.wait_for(guard, most, [this] { return tasks_ == 0; });
}

void Thinkers::work() {
  std::unique_lock guard(lock_);
  for (;;) {
    ++resting_;
    come_.wait(guard, [this] { return closed_ || !ready_.empty(); });
    --resting_;
    if (closed_) return;
    const std::shared_ptr<Lane> lane = std::move(ready_.front());
    ready_.pop_front();
    Task task = std::move(lane->tasks_.front());
    lane->tasks_.pop_front();
    guard.unlock();
    task();
    task = nullptr;  // what it holds may belong to the bot's author, and take its time to go
    guard.lock();
    if (lane->tasks_.empty()) {
      lane->taken_ = false;
    } else {
      ready_.push_back(lane);
      come_.notify_one();
    }
    if (--tasks_ == 0) done_.notify_all();
  }
}

}  // namespace arena
