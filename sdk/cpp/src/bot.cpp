// A bot: one function for all matches, or one object per match.
#include "arena/bot.hpp"

namespace arena {

namespace {

constexpr unsigned kMatchesAtOnce = 16;

class FunctionBot : public Bot {
 public:
  explicit FunctionBot(Decide decide) : decide_(std::move(decide)) {}
  std::string decide(const Decision& decision) override { return decide_(decision); }

 private:
  Decide decide_;
};

}  // namespace

Players::Players(std::function<std::shared_ptr<Bot>()> make, bool shared, unsigned concurrency)
    : make_(std::move(make)), shared_(shared), concurrency_(concurrency) {}

Players Players::function(Decide decide) {
  auto bot = std::make_shared<FunctionBot>(std::move(decide));
  return {[bot] { return bot; }, true, kMatchesAtOnce};
}

Players Players::each(MakeBot make) {
  return {[make = std::move(make)] { return std::shared_ptr<Bot>(make()); }, false, kMatchesAtOnce};
}

Players Players::one(Bot& bot) {
  return {[&bot] { return std::shared_ptr<Bot>(&bot, [](Bot*) {}); }, true, 1};
}

}  // namespace arena
