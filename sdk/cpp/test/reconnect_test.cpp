// After a lost connection the bot comes back, and repeats an answer exactly if its question is repeated.
#include <atomic>

#include "scripted_server.hpp"

namespace arena::test {
namespace {

// Answers how often it was asked.
Players counting(std::atomic<int>& asked) {
  return Players::function([&](const Decision&) { return std::to_string(++asked); });
}

v1::PlayResponse one_question(unsigned number) {
  v1::PlayResponse message;
  add_start(message, "m/1");
  add_question(message, "m/1", number, "hit");
  return message;
}

Script ask_and_break() {
  return [](Visit& visit) {
    EXPECT_EQ(visit.greet().resume(), "");
    visit.say(one_question(7));
    EXPECT_EQ(visit.hear().bodies(0).act().move_text(), "1");
    return kBroken;
  };
}

TEST(Reconnect, ALostAnswerIsRepeatedWithoutAskingTheBotAgain) {
  std::atomic<int> asked = 0;
  ScriptedServer server({ask_and_break(), [](Visit& visit) {
                           EXPECT_EQ(visit.greet({"m/1"}).resume(), "the session");
                           visit.say(one_question(7));
                           const auto answer = visit.hear().bodies(0).act();
                           EXPECT_EQ(answer.decision(), 7u);
                           EXPECT_EQ(answer.move_text(), "1");
                           return kOver;
                         }});
  const auto said = play(server, counting(asked));
  EXPECT_EQ(asked, 1);
  EXPECT_NE(said.find("lost the connection to " + server.address() + "; trying again in 0.1 s"), std::string::npos);
}

TEST(Reconnect, AnAnswerIsNotRepeatedUnasked) {
  std::atomic<int> asked = 0;
  ScriptedServer server({ask_and_break(), [](Visit& visit) {
                           visit.greet({"m/1"});
                           visit.say(one_question(8));
                           const auto answers = visit.hear();
                           EXPECT_EQ(answers.bodies_size(), 1);
                           EXPECT_EQ(answers.bodies(0).act().decision(), 8u);
                           EXPECT_EQ(answers.bodies(0).act().move_text(), "2");
                           return kOver;
                         }});
  play(server, counting(asked));
  EXPECT_EQ(asked, 2);
}

TEST(Reconnect, AMatchThatIsNotResumedIsForgotten) {
  std::atomic<int> asked = 0;
  ScriptedServer server({ask_and_break(), [](Visit& visit) {
                           visit.greet();
                           v1::PlayResponse message;
                           add_question(message, "m/1", 8, "hit");  // of a match without a start
                           add_start(message, "m/2");
                           add_question(message, "m/2", 1, "hit");
                           visit.say(message);
                           EXPECT_EQ(visit.hear().bodies(0).act().match_id(), "m/2");
                           return kOver;
                         }});
  const auto said = play(server, counting(asked));
  EXPECT_NE(said.find("match m/1 is no longer this bot's"), std::string::npos);
}

TEST(Reconnect, ARefusalIsFinal) {
  ScriptedServer server({[](Visit&) { return grpc::Status(grpc::StatusCode::ALREADY_EXISTS, "here already"); }});
  std::atomic<int> asked = 0;
  EXPECT_EQ(play(server, counting(asked)), "error: " + server.address() + " refused: here already\n");
}

TEST(Reconnect, GivesUpWhenPatienceIsOver) {
  Settings settings;
  settings.first_patience = std::chrono::duration<double>(0.25);
  std::string address;
  {
    ScriptedServer gone({});
    address = gone.address();
  }
  settings.server = address;
  std::string said;
  std::atomic<int> asked = 0;
  Client client(counting(asked), settings, [&](const std::string& text) { said += text + "\n"; });
  try {
    client.play();
    FAIL() << "it should have given up";
  } catch (const ArenaError& error) {
    EXPECT_EQ(error.what(), "no Referee server listens at " + address + "; gave up after 0.25 seconds");
    EXPECT_EQ(error.exit_code(), 3);
  }
  EXPECT_EQ(said.find("no Referee server listens at " + address + "; trying again in 0.1 s\n"), 0u);
}

}  // namespace
}  // namespace arena::test
