// From bytes to a typed message or a JSON value, and into a record.
#include <arena/games/encore/v1/encore.pb.h>
#include <arena/games/flip7/v1/flip7.pb.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <arena/arena.hpp>

#include <filesystem>
#include <fstream>

#include "arena/v1/match.pb.h"
#include "recording.hpp"

namespace arena::test {
namespace {

namespace flip7 = games::flip7::v1;

constexpr char kFlip7[] = "arena.games.flip7.v1.View";

std::string some_view() {
  flip7::View view;
  view.set_round(3);
  view.set_pile_size(93);
  return view.SerializeAsString();
}

TEST(Views, AreTyped) {
  const View view(kFlip7, some_view());
  EXPECT_EQ(view.as<flip7::View>().round(), 3u);
  EXPECT_EQ(&view.as<flip7::View>(), &view.message());
  EXPECT_EQ(view.bytes(), some_view());
}

TEST(Views, OfAllGamesAreKnownByName) {
  for (const char* game : {"encore", "flip7", "stop", "stop_me_go"}) {
    EXPECT_NO_THROW(View("arena.games." + std::string(game) + ".v1.View", "").message()) << game;
  }
}

TEST(Views, OfAnotherTypeSaySo) {
  const View view(kFlip7, some_view());
  EXPECT_THROW(view.as<games::encore::v1::View>(), UnknownView);
  EXPECT_THROW(view.json(), UnknownView);
  EXPECT_EQ(view.as<flip7::View>().round(), 3u);
  EXPECT_THROW(view.as<games::encore::v1::View>(), UnknownView);
  try {
    View("somewhere.chess.v1.View", "").message();
    FAIL();
  } catch (const UnknownView& error) {
    EXPECT_STREQ(error.what(),
                 "there is no generated code for the view 'somewhere.chess.v1.View' in this program: play from "
                 "decision.legal() or from decision.view_bytes()");
  }
}

TEST(Views, AreJsonWhereTheTypeSaysSo) {
  EXPECT_EQ(View("json", R"({"answer":"ü"})").json()["answer"], "ü");
  EXPECT_THROW(View("json", "{").json(), UnknownView);
  EXPECT_THROW(View("json", "{}").as<flip7::View>(), UnknownView);
}

TEST(Views, ThatAreNoneThrowOnlyWhenLookedAt) {
  const View view(kFlip7, "\xff\xff\xff\xff");
  EXPECT_THROW(view.as<flip7::View>(), UnknownView);
}

TEST(Views, AreRecordedWithTheNamesOfTheProtocol) {
  const auto file = std::filesystem::temp_directory_path() / ("referee-sdk-" + std::to_string(getpid()) + ".jsonl");
  Match match;
  match.id = "m/1";
  match.view_type = kFlip7;
  v1::Decide question;
  question.set_view(some_view());
  {
    Recording recording(file.string());
    recording.decided(Decision(std::make_shared<const Match>(match), std::move(question)), "hit",
                      std::chrono::milliseconds(2));
  }
  std::ifstream in(file);
  const auto line = nlohmann::json::parse(in);
  std::filesystem::remove(file);
  EXPECT_EQ(line["type"], "decide");
  EXPECT_EQ(line["move"], "hit");
  EXPECT_EQ(line["ms"], 2.0);
  EXPECT_EQ(line["view"]["round"], 3);
  EXPECT_EQ(line["view"]["pile_size"], 93);
  EXPECT_EQ(line["view"]["discard_size"], 0);
}

TEST(Views, ThatCannotBeRecordedAreToldInASentence) {
  try {
    Recording("/nowhere/record.jsonl");
    FAIL();
  } catch (const CannotRecord& error) {
    EXPECT_STREQ(error.what(), "cannot record to /nowhere/record.jsonl: No such file or directory");
    EXPECT_EQ(error.exit_code(), 3);
  }
}

}  // namespace
}  // namespace arena::test
