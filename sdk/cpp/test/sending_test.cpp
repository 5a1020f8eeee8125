// Answers travel together, and those that are ready do not wait for a long thought.
#include <latch>

#include "scripted_server.hpp"

namespace arena::test {
namespace {

Players first_legal() {
  return Players::function([](const Decision& decision) { return decision.legal().front(); });
}

// However slow the machine is, an answer waits for the others.
Settings patient() {
  Settings settings;
  settings.send_after = std::chrono::minutes(1);
  return settings;
}

v1::PlayResponse two_matches(const std::string& first, const std::string& second) {
  v1::PlayResponse message;
  add_start(message, "m/1");
  add_start(message, "m/2");
  add_question(message, "m/1", 1, first);
  add_question(message, "m/2", 1, second);
  return message;
}

TEST(Sending, AllQuestionsOfAMessageAreAnsweredInOneMessage) {
  ScriptedServer server({[](Visit& visit) {
    visit.greet();
    v1::PlayResponse message;
    for (int match = 0; match < 16; ++match) add_start(message, "m/" + std::to_string(match));
    for (int match = 0; match < 16; ++match) add_question(message, "m/" + std::to_string(match), 1, "hit");
    visit.say(message);
    const auto answers = visit.hear();
    EXPECT_EQ(answers.bodies_size(), 16);
    for (int match = 0; match < answers.bodies_size(); ++match) {  // asked in the order in which they came
      EXPECT_EQ(answers.bodies(match).act().match_id(), "m/" + std::to_string(match));
    }
    return kOver;
  }});
  play(server, first_legal(), patient());
}

// Thinks about "slow" until the test has heard the quick answer.
class Slow : public Bot {
 public:
  explicit Slow(std::latch& heard) : heard_(heard) {}
  std::string decide(const Decision& decision) override {
    if (decision.legal().front() == "slow") heard_.wait();
    return decision.legal().front();
  }

 private:
  std::latch& heard_;
};

TEST(Sending, WhatIsReadyDoesNotWaitForALongThought) {
  std::latch heard(1);
  ScriptedServer server({[&](Visit& visit) {
    visit.greet();
    visit.say(two_matches("slow", "quick"));
    const auto first = visit.hear();
    EXPECT_EQ(first.bodies_size(), 1);
    EXPECT_EQ(first.bodies(0).act().move_text(), "quick");
    heard.count_down();
    EXPECT_EQ(visit.hear().bodies(0).act().move_text(), "slow");
    return kOver;
  }});
  play(server, Players::each([&] { return std::make_unique<Slow>(heard); }));
}

TEST(Sending, AnAnswerThatHadToWaitForAnotherIsLateToo) {
  ScriptedServer server({[](Visit& visit) {
    visit.greet();
    auto message = two_matches("slow", "quick");
    message.mutable_bodies(3)->mutable_decide()->set_budget_ms(50);
    visit.say(message);
    visit.hear();
    return kOver;
  }});
  const auto said = play(server, Players::function([](const Decision& decision) {
                           if (decision.legal().front() == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(150));
                           return decision.legal().front();
                         }),
                         patient());
  EXPECT_NE(said.find("decision 1 of match m/2 took "), std::string::npos) << said;
  EXPECT_NE(said.find("its budget was 0.1 s; the rest came from the bank"), std::string::npos) << said;
}

TEST(Sending, AnErrorResignsItsMatchAndNoOther) {
  ScriptedServer server({[](Visit& visit) {
    visit.greet();
    visit.say(two_matches("fail", "hit"));
    const auto answers = visit.hear();
    EXPECT_EQ(answers.bodies_size(), 2);
    EXPECT_EQ(answers.bodies(0).resign().match_id(), "m/1");
    EXPECT_EQ(answers.bodies(0).resign().reason(), "error in decide: std::runtime_error: told to fail");
    EXPECT_EQ(answers.bodies(1).act().move_text(), "hit");
    return kOver;
  }});
  const auto said = play(server, Players::function([](const Decision& decision) {
                           if (decision.legal().front() == "fail") throw std::runtime_error("told to fail");
                           return decision.legal().front();
                         }),
                         patient());
  EXPECT_NE(said.find("decision 1 of flip7 match m/1 went wrong in decide; resigning this match."), std::string::npos);
}

TEST(Sending, AMoveThatIsNoTextResigns) {
  ScriptedServer server({[](Visit& visit) {
    visit.greet();
    v1::PlayResponse message;
    add_start(message, "m/1");
    add_question(message, "m/1", 1, "hit");
    visit.say(message);
    EXPECT_TRUE(visit.hear().bodies(0).has_resign());
    return kOver;
  }});
  const auto said = play(server, Players::function([](const Decision&) { return std::string("\xff\xfe"); }));
  EXPECT_NE(said.find("a move is a text (UTF-8) such as 'hit'"), std::string::npos);
}

TEST(Sending, ARefusedMoveIsAnsweredAgainEvenIfTheQuestionIsNotRepeated) {
  ScriptedServer server({[](Visit& visit) {
    visit.greet();
    v1::PlayResponse message;
    add_start(message, "m/1");
    add_question(message, "m/1", 4, "hit");
    visit.say(message);
    EXPECT_EQ(visit.hear().bodies(0).act().move_text(), "first");
    v1::PlayResponse refusal;
    auto& rejected = *refusal.add_bodies()->mutable_rejected();
    rejected.set_match_id("m/1");
    rejected.set_decision(4);
    rejected.set_message("not that");
    rejected.set_open(true);
    visit.say(refusal);
    const auto again = visit.hear().bodies(0).act();
    EXPECT_EQ(again.decision(), 4u);
    EXPECT_EQ(again.move_text(), "after 'not that': hit");
    return kOver;
  }});
  play(server, Players::function([](const Decision& decision) {
         if (decision.rejected().empty()) return std::string("first");
         return "after '" + decision.rejected() + "': " + decision.legal().front();
       }));
}

TEST(Sending, AnErrorInStartResignsTheMatch) {
  class Broken : public Bot {
   public:
    void start(const Match&) override { throw std::runtime_error("no book"); }
    std::string decide(const Decision&) override { return "hit"; }
  };
  ScriptedServer server({[](Visit& visit) {
    visit.greet();
    v1::PlayResponse message;
    add_start(message, "m/1");
    add_question(message, "m/1", 1, "hit");
    visit.say(message);
    const auto answers = visit.hear();
    EXPECT_EQ(answers.bodies_size(), 1);
    EXPECT_EQ(answers.bodies(0).resign().match_id(), "m/1");
    return kOver;
  }});
  const auto said = play(server, Players::each([] { return std::make_unique<Broken>(); }));
  EXPECT_NE(said.find("no book\nthe bot could not start match m/1; resigning it."), std::string::npos);
}

}  // namespace
}  // namespace arena::test
