// Lanes run at the same time, the tasks of one lane one after the other.
#include "thinkers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace arena::test {
namespace {

constexpr std::chrono::seconds kPatience{120};

TEST(Thinkers, LanesRunAtTheSameTime) {
  Thinkers thinkers(2);
  std::latch both(2);
  for (int lane = 0; lane < 2; ++lane) thinkers.put(std::make_shared<Lane>(), [&] { both.arrive_and_wait(); });
  EXPECT_TRUE(thinkers.wait_idle(kPatience));
}

TEST(Thinkers, ALaneIsWorkedOffInOrder) {
  Thinkers thinkers(4);
  const auto lane = std::make_shared<Lane>();
  std::atomic<int> running = 0;
  std::vector<int> seen;  // without a lock: the lane is one
  for (int task = 0; task < 100; ++task) {
    thinkers.put(lane, [&, task] {
      EXPECT_EQ(++running, 1);
      seen.push_back(task);
      --running;
    });
  }
  ASSERT_TRUE(thinkers.wait_idle(kPatience));
  ASSERT_EQ(seen.size(), 100u);
  for (int task = 0; task < 100; ++task) EXPECT_EQ(seen[static_cast<std::size_t>(task)], task);
}

TEST(Thinkers, AreNotIdleWhileOneThinks) {
  Thinkers thinkers(1);
  std::latch go_on(1);
  thinkers.put(std::make_shared<Lane>(), [&] { go_on.wait(); });
  EXPECT_FALSE(thinkers.idle());
  EXPECT_FALSE(thinkers.wait_idle(std::chrono::milliseconds(1)));
  go_on.count_down();
  EXPECT_TRUE(thinkers.wait_idle(kPatience));
}

}  // namespace
}  // namespace arena::test
