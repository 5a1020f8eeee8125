// Everything a bot's author needs: write `decide`, hand it to `arena::run`.
#pragma once

#include "arena/bot.hpp"
#include "arena/client.hpp"
#include "arena/decision.hpp"
#include "arena/errors.hpp"
#include "arena/launch.hpp"
#include "arena/settings.hpp"
#include "arena/views.hpp"
