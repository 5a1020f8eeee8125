// From the bytes of a view to a typed message or a JSON value.
#include "arena/views.hpp"

#include "arena/errors.hpp"
#include "arena/games/encore/v1/encore.pb.h"
#include "arena/games/flip7/v1/flip7.pb.h"
#include "arena/games/stop/v1/stop.pb.h"
#include "arena/games/stop_me_go/v1/stop_me_go.pb.h"

namespace arena {

namespace {

constexpr char kJson[] = "json";
constexpr char kAdvice[] = ": play from decision.legal() or from decision.view_bytes()";

// Only types whose generated code is part of this program are ever found: a name that a server sent loads nothing.
const google::protobuf::Message* linked_in(const std::string& type) {
  // Named here so that the linker keeps them, though a bot may use none.
  static const google::protobuf::Message* const kGames[] = {
      &games::encore::v1::View::default_instance(), &games::flip7::v1::View::default_instance(),
      &games::stop::v1::View::default_instance(), &games::stop_me_go::v1::View::default_instance()};
  for (const auto* game : kGames) {
    if (game->GetDescriptor()->full_name() == type) return game;
  }
  const auto* found = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(type);
  return found == nullptr ? nullptr : google::protobuf::MessageFactory::generated_factory()->GetPrototype(found);
}

}  // namespace

View::View(std::string type, std::string bytes) : type_(std::move(type)), bytes_(std::move(bytes)) {}

bool View::is_json() const {
  return type_ == kJson;
}

const nlohmann::json& View::json() const {
  if (!is_json()) throw_other_type(kJson);
  if (!json_) {
    auto value = nlohmann::json::parse(bytes_, nullptr, false);
    if (value.is_discarded()) throw UnknownView(std::string("the view is no JSON") + kAdvice);
    json_ = std::make_unique<nlohmann::json>(std::move(value));
  }
  return *json_;
}

const google::protobuf::Message& View::message() const {
  if (!message_) {
    const auto* prototype = is_json() ? nullptr : linked_in(type_);
    if (prototype == nullptr) {
      throw UnknownView("there is no generated code for the view '" + type_ + "' in this program" + kAdvice);
    }
    message_ = parse(*prototype);
  }
  return *message_;
}

std::unique_ptr<google::protobuf::Message> View::parse(const google::protobuf::Message& prototype) const {
  if (prototype.GetDescriptor()->full_name() != type_) throw_other_type(prototype.GetDescriptor()->full_name());
  std::unique_ptr<google::protobuf::Message> message(prototype.New());
  if (!message->ParseFromString(bytes_)) {
    throw UnknownView("the bytes of the view are no message '" + type_ + "'" + kAdvice);
  }
  return message;
}

void View::throw_other_type(const std::string& wanted) const {
  throw UnknownView("the view is of the type '" + type_ + "', not '" + wanted + "'" + kAdvice);
}

}  // namespace arena
