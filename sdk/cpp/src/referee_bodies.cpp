// What the referee says, body by body, and what the bot makes of it.
#include <algorithm>

#include "arena/errors.hpp"
#include "client_impl.hpp"
#include "text.hpp"

namespace arena {

namespace {

constexpr std::size_t kLongestReason = 200;

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  const auto line = text.substr(0, end == std::string::npos ? 0 : end + 1);
  return line.substr(line.rfind('\n') + 1);
}

}  // namespace

void Client::Impl::frame(v1::PlayResponse& message) {
  const auto frame = std::make_shared<Frame>();
  for (auto& body : *message.mutable_bodies()) {
    switch (body.body_case()) {
      case v1::RefereeBody::kWelcome:
        welcome(body.welcome());
        break;
      case v1::RefereeBody::kMatchStart:
        match_start(body.match_start());
        break;
      case v1::RefereeBody::kDecide:
        decide(*body.mutable_decide(), frame);
        break;
      case v1::RefereeBody::kRejected:
        rejected(*body.mutable_rejected(), frame);
        break;
      case v1::RefereeBody::kMatchEnd:
        match_end(body.match_end());
        break;
      case v1::RefereeBody::kNotice:
        notice(body.notice());
        break;
      case v1::RefereeBody::kNonces:
        nonces(body.nonces());
        break;
      case v1::RefereeBody::kDrain:
        tell(body.drain().text());
        break;
      default:  // of a later version
        break;
    }
  }
  send_when_ready(*frame);
  if (stream_) stream_->read();
}

void Client::Impl::welcome(const v1::Welcome& welcome) {
  if (welcome.protocol_version() != kProtocolVersion) {
    throw Refused(welcome.server() + " speaks protocol " + std::to_string(welcome.protocol_version()) +
                  ", this SDK 1: update the older of the two");
  }
  const bool first = session_.empty();
  ++welcomes_;
  session_ = welcome.session();
  addresses_.assign(welcome.addresses().begin(), welcome.addresses().end());
  std::erase_if(seats_, [&](const auto& entry) {
    const auto& [match, seat] = entry;
    const auto& resumed = welcome.resumed();
    if (std::find(resumed.begin(), resumed.end(), match) != resumed.end()) return false;
    warn_("match " + match + " is no longer this bot's: it went on without it, or is played again later");
    practised_ += seat->match->tournament.empty();
    withdraw(*seat);
    thinkers_.put(seat->lane, [seat = seat] { attempt([&] { seat->bot.reset(); }); });
    return true;
  });
  playing = seats_.size();
  tell("connected to " + welcome.server() + " at " + where_ + " as " + welcome.name());
  if (leaving_) {
    put().mutable_leave();
  } else if (settings_.practice) {
    practise(welcome);
  } else if (first) {
    tell("waiting for matches (Ctrl-C to leave)");
  }
}

void Client::Impl::practise(const v1::Welcome& welcome) {
  std::size_t running = 0;
  for (const auto& match : welcome.resumed()) {
    const auto seat = find(match);
    running += !seat || seat->match->tournament.empty();
  }
  const std::size_t counted = practised_ + running;
  if (counted < settings_.practice->matches && welcome.practice_left() == 0) {
    auto& wish = *put().mutable_practice();
    wish.set_game(settings_.practice->game);
    for (const auto& name : settings_.practice->against) wish.add_against(name);
    wish.set_matches(settings_.practice->matches - static_cast<unsigned>(counted));
    wish.set_options_json(settings_.practice->options_json);
  }
  leave_if_practised();
}

void Client::Impl::leave_if_practised() {
  if (settings_.practice && practised_ >= settings_.practice->matches) leave();
}

void Client::Impl::match_start(const v1::MatchStart& start) {
  if (recording_) recording_->note("start", start);
  if (const auto known = find(start.match_id())) {
    if (known->failed && known->reply) put_reply(*known);  // after a reconnect
    return;
  }
  const auto seat = std::make_shared<Seat>();
  seat->match = std::make_shared<const Match>(Match::from(start));
  seat->lane = players_.shared() ? shared_lane_ : std::make_shared<Lane>();
  seats_[start.match_id()] = seat;
  playing = seats_.size();
  thinkers_.put(seat->lane, [this, seat] {
    std::shared_ptr<Bot> bot;
    const std::string error = attempt([&] {
      bot = players_.make();
      bot->start(*seat->match);
    });
    if (error.empty()) {
      seat->bot = std::move(bot);
    } else {
      desk_->post([this, seat, error] { start_failed(seat, error); });
    }
  });
}

void Client::Impl::start_failed(const std::shared_ptr<Seat>& seat, const std::string& error) {
  warn_(error + "\nthe bot could not start match " + seat->match->id + "; resigning it.");
  ++errors;
  seat->failed = true;
  withdraw(*seat);
  seat->reply = Reply{true, shortened("error in start: " + last_line(error), kLongestReason)};
  if (find(seat->match->id) == seat && stream_) {
    put_reply(*seat);
    send();
  }
  fail_if_strict("start", error);
}

void Client::Impl::decide(v1::Decide& question, const std::shared_ptr<Frame>& frame) {
  const auto seat = find(question.match_id());
  if (!seat || seat->failed) return;
  seat->stream = stream_number_;
  if (seat->asked && seat->asked->decision.number() == question.decision()) {
    // Asked again: the answer was lost on the way, or is still being thought about.
    if (seat->reply) put_reply(*seat);
    return;
  }
  ask(seat, Decision(seat->match, std::move(question)), frame);
}

void Client::Impl::rejected(v1::Rejected& rejected, const std::shared_ptr<Frame>& frame) {
  if (recording_) recording_->note("rejected", rejected);
  const auto seat = find(rejected.match_id());
  const bool known = seat && seat->asked && seat->asked->decision.number() == rejected.decision();
  std::optional<Decision> again;
  if (rejected.open() && seat && !seat->failed) {
    if (rejected.has_question()) {
      again.emplace(seat->match, std::move(*rejected.mutable_question()), rejected.message());
    } else if (known) {
      again.emplace(seat->asked->decision.after(rejected.message()));
    }
  }
  warn_(rejected_sentence(rejected, again ? &*again : known ? &seat->asked->decision : nullptr));
  if (again) {
    seat->stream = stream_number_;
    ask(seat, std::move(*again), frame);
  }
}

void Client::Impl::match_end(const v1::MatchEnd& end) {
  if (recording_) recording_->note("end", end);
  const auto seat = find(end.match_id());
  if (!seat) return;
  const auto result = std::make_shared<const Result>(Result::from(seat->match, end));
  tally_.add(result->ranks[seat->match->seat]);
  tell(ended_sentence(*result));
  withdraw(*seat);
  seats_.erase(end.match_id());
  playing = seats_.size();
  thinkers_.put(seat->lane, [this, seat, result] {
    if (!seat->bot) return;
    const std::string error = attempt([&] {
      seat->bot->end(*result);
      seat->bot.reset();
    });
    if (!error.empty()) warn_(error + "\nthe bot's end() failed after match " + result->match->id);
  });
  if (seat->match->tournament.empty()) ++practised_;
  leave_if_practised();
}

void Client::Impl::notice(const v1::Notice& notice) {
  if (recording_) recording_->note("notice", notice);
  if (notice.code() == v1::NOTICE_CODE_REFUSED) {
    const bool alone = settings_.practice && settings_.practice->against.empty();
    throw Refused(notice.text() + (alone ? " (name the others with --against BOT,BOT)" : ""));
  }
  tell(notice.text());
}

void Client::Impl::nonces(const v1::Nonces& call) {
  if (recording_) recording_->note("nonces", call);
  if (auto answer = nonces_.answer(call)) {
    *put().mutable_nonce() = std::move(*answer);
  } else if (nonces_.broken(call)) {
    warn_("tournament " + call.tournament() + " is played with other nonces than were agreed on: ask the host why");
  }
}

std::shared_ptr<Seat> Client::Impl::find(const std::string& match) const {
  const auto found = seats_.find(match);
  return found == seats_.end() ? nullptr : found->second;
}

void Client::Impl::ask(const std::shared_ptr<Seat>& seat, Decision decision, const std::shared_ptr<Frame>& frame) {
  withdraw(*seat);
  const auto asked = std::make_shared<Asked>(std::move(decision), frame);
  seat->asked = asked;
  seat->reply.reset();
  ++frame->open;
  thinkers_.put(seat->lane, [this, seat, asked] {
    if (asked->withdrawn || !seat->bot) return;
    const auto thought = std::make_shared<const Thought>(think(*seat->bot, asked->decision));
    desk_->post([this, seat, asked, thought] { answered(seat, asked, *thought); });
  });
}

void Client::Impl::answered(const std::shared_ptr<Seat>& seat, const std::shared_ptr<Asked>& asked,
                            const Thought& thought) {
  const Decision& decision = asked->decision;
  if (!thought.error.empty()) {
    warn_(thought.error + "\n" + failed_sentence(decision));
    errors += !asked->withdrawn;
    const std::string reason = "error in decide: " + last_line(thought.error);
    reply(seat, asked, {true, shortened(reason, kLongestReason)});
    fail_if_strict("decide", thought.error);
    return;
  }
  const auto spent = Clock::now() - asked->came;
  if (decision.budget().count() > 0 && spent > decision.budget()) warn_(late_sentence(decision, spent));
  if (recording_) recording_->decided(decision, thought.move, thought.took);
  reply(seat, asked, {false, thought.move});
}

// Says it now; or, if the stream broke meanwhile, when the question is repeated.
void Client::Impl::reply(const std::shared_ptr<Seat>& seat, const std::shared_ptr<Asked>& asked, Reply reply) {
  if (asked->withdrawn || seat->asked != asked) return;
  seat->reply = std::move(reply);
  asked->open = false;
  --asked->frame->open;
  if (!stream_ || seat->stream != stream_number_) return;
  put_reply(*seat);
  send_when_ready(*asked->frame);
}

void Client::Impl::withdraw(Seat& seat) {
  if (!seat.asked || !seat.asked->open) return;
  seat.asked->withdrawn = true;
  seat.asked->open = false;
  Frame& frame = *seat.asked->frame;
  if (--frame.open == 0 && out_.bodies_size() > 0 && !send_at_) send_at_ = Clock::now();
}

void Client::Impl::fail_if_strict(const std::string& where, const std::string& error) {
  if (!settings_.strict) return;
  failed_.emplace("stopped at the first error in " + where + ", as --strict asks: " + last_line(error));
  if (!stream_) throw *failed_;
  send();
  if (!writing_) throw *failed_;
}

void Client::Impl::tell(const std::string& text) const {
  if (!settings_.quiet) warn_(text);
}

}  // namespace arena
