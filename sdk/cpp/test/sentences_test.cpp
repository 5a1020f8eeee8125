// What the author of a bot reads about its matches, and text that fits into a message.
#include "sentences.hpp"

#include <gtest/gtest.h>

#include "arena/v1/match.pb.h"
#include "text.hpp"

namespace arena::test {
namespace {

std::shared_ptr<const Match> match() {
  Match match;
  match.id = "league/4";
  match.game = "flip7";
  match.seat = 1;
  match.names = {"odds", "me", "random"};
  return std::make_shared<const Match>(match);
}

TEST(Sentences, OfAnEnd) {
  v1::MatchEnd end;
  for (const int rank : {1, 3, 2}) end.mutable_result()->add_ranks(rank);
  for (const int score : {211, 86, 120}) end.mutable_result()->add_scores(score);
  for (int seat = 0; seat < 3; ++seat) {
    end.mutable_result()->add_terminations(seat == 1 ? v1::TERMINATION_TIMEOUT : v1::TERMINATION_FINISHED);
    end.mutable_result()->add_texts(seat == 1 ? "no answer in time" : "");
  }
  EXPECT_EQ(ended_sentence(Result::from(match(), end)),
            "flip7 league/4: rank 3 of 3, score 86 against odds, random (timeout: no answer in time)");
}

TEST(Sentences, OfAnEndWithoutAnything) {
  const auto result = Result::from(match(), v1::MatchEnd());
  EXPECT_EQ(result.terminations[1], "unspecified");
  EXPECT_EQ(result.view, nullptr);
  EXPECT_EQ(ended_sentence(result), "flip7 league/4: rank 0 of 3, score 0 against odds, random");
}

TEST(Sentences, OfARejection) {
  v1::Rejected rejected;
  rejected.set_match_id("m/1");
  rejected.set_decision(2);
  rejected.set_move_text("fold");
  rejected.set_message("nobody folds here");
  EXPECT_EQ(rejected_sentence(rejected, nullptr), "match m/1, decision 2: 'fold' was refused: nobody folds here.");
  rejected.set_strikes_left(2);
  v1::Decide question;
  question.add_legal("hit");
  question.add_legal("stay");
  question.set_complete(true);
  const Decision decision(match(), std::move(question));
  EXPECT_EQ(rejected_sentence(rejected, &decision),
            "match m/1, decision 2: 'fold' was refused: nobody folds here. Legal were: hit | stay. Strikes left: 2.");
}

TEST(Sentences, OfTheSum) {
  Tally tally;
  for (const std::size_t rank : {1, 2, 1}) tally.add(rank);
  EXPECT_EQ(tally.sentence(1), "3 matches: mean rank 1.33, 2 first, 1 resigned by errors");
}

TEST(Sentences, OfAnUnknownTermination) {
  EXPECT_EQ(termination_word(v1::TERMINATION_RESIGNED), "resigned");
  EXPECT_EQ(termination_word(99), "unspecified");
}

TEST(Text, KnowsUtf8) {
  for (const char* good : {"", "hit", "größe", "♠", "😀"}) EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad : {"\xff", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
  EXPECT_EQ(as_utf8("a\xff♠"), "a\uFFFD♠");
}

TEST(Text, IsShortenedBetweenCharacters) {
  EXPECT_EQ(shortened("a♠b", 3), "a");
  EXPECT_EQ(shortened("a♠b", 4), "a♠");
  EXPECT_EQ(shortened("a♠b", 9), "a♠b");
}

}  // namespace
}  // namespace arena::test
