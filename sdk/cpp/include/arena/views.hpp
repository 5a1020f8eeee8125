// From the bytes of a view to a typed message or a JSON value.
#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace arena {

// What a seat is shown. It is read when first looked at: a bot that does not look pays nothing.
class View {
 public:
  // `type` is MatchStart.view_type: the full name of a message, or "json".
  View(std::string type, std::string bytes);
  View(const View& other) : View(other.type_, other.bytes_) {}
  View(View&&) = default;

  const std::string& type() const { return type_; }
  // As it came over the wire: handy to hash, for a bot that wants repeatable dice of its own.
  const std::string& bytes() const { return bytes_; }
  bool is_json() const;

  // The generated message, such as arena::games::flip7::v1::View; UnknownView if this view is of another type.
  template <class Message>
  const Message& as() const {
    if (!message_) message_ = parse(Message::default_instance());
    if (message_->GetDescriptor() != Message::descriptor()) throw_other_type(Message::descriptor()->full_name());
    return static_cast<const Message&>(*message_);
  }

  // The value of a view of the type "json"; UnknownView if it is of another type.
  const nlohmann::json& json() const;

  // The message of one of the four games, or of any other type whose generated code is linked in; else UnknownView.
  const google::protobuf::Message& message() const;

 private:
  std::unique_ptr<google::protobuf::Message> parse(const google::protobuf::Message& prototype) const;
  [[noreturn]] void throw_other_type(const std::string& wanted) const;

  std::string type_;
  std::string bytes_;
  mutable std::unique_ptr<google::protobuf::Message> message_;
  mutable std::unique_ptr<nlohmann::json> json_;
};

}  // namespace arena
