// A thread pool in which bots think: tasks of one lane run one after the other, lanes run at the same time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace arena {

using Task = std::function<void()>;

// What must not run at the same time: the tasks of one match, or of all where one bot plays them.
class Lane {
 private:
  friend class Thinkers;
  std::deque<Task> tasks_;
  bool taken_ = false;  // it waits for a thread or has one
};

class Thinkers {
 public:
  // Threads are started when there is work for them, at most so many.
  explicit Thinkers(unsigned most);
  // Waits for the tasks that run; those that wait are dropped.
  ~Thinkers();
  Thinkers(const Thinkers&) = delete;
  Thinkers& operator=(const Thinkers&) = delete;

  // Tasks throw nothing. They begin in the order in which they were put, except behind their own lane.
  void put(const std::shared_ptr<Lane>& lane, Task task);
  bool idle() const;
  // Whether all tasks were done within that time.
  bool wait_idle(std::chrono::duration<double> most);

 private:
  void work();

  const unsigned most_;
  mutable std::mutex lock_;
  std::condition_variable come_;
  std::condition_variable done_;
  std::deque<std::shared_ptr<Lane>> ready_;
  std::vector<std::thread> threads_;
  unsigned resting_ = 0;
  std::size_t tasks_ = 0;  // waiting or running
  bool closed_ = false;
};

}  // namespace arena
