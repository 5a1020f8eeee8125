-- A bot in Lua: lines of JSON in, lines of JSON out. Lua has no JSON library of its own, and this bot needs none: the
-- referee writes keys in a fixed order, and no move holds a quotation mark, so patterns will do.
--
-- In Encore it has one idea: cross off as many boxes as it can, and keep its jokers for when they bring at least four.
-- In other games it takes a legal move.
--
-- Try it:   referee run encore lua tidy random

io.stdout:setvbuf("line") -- an answer in a buffer is no answer: write out every line at once

-- The moves between the brackets of "legal": a list of texts.
local function legal_moves(line)
  local list = line:match('"legal":(%b[])')
  local moves = {}
  for move in (list or ""):gmatch('"([^"]*)"') do
    moves[#moves + 1] = move
  end
  return moves
end

-- A move in Encore reads "orange 3 FR GR HR": a colour, a number, and boxes, each a letter of a column and of a row.
-- A joker stands for a colour ("joker 2 HP IP") or, as a question mark, for a number ("blue ? IR").
local function boxes(move)
  local count = 0
  for _ in move:gmatch("%f[%w]%u%u%f[%W]") do
    count = count + 1
  end
  return count
end

local function most_boxes(moves)
  local best, most = moves[1], 0
  for _, move in ipairs(moves) do
    local count = boxes(move)
    local free = not move:find("joker", 1, true) and not move:find("?", 1, true)
    local worth_it = free or count >= 4
    if worth_it and count > most then
      best, most = move, count
    end
  end
  return best
end

local function is_encore(line)
  return line:find('"dice":', 1, true) and line:find('"sheet', 1, true)
end

-- Games in which dice or cards make every match another one. Elsewhere the name of the match counts: else the same bots
-- would play the same match for ever.
local dealt = { encore = true, flip7 = true, stop = true, stop_me_go = true }
local salts = {}

-- A number above 0 for a name.
local function salt(name)
  local sum = 0
  for place = 1, #name do
    sum = (sum * 71 + name:byte(place)) % 65521
  end
  return sum + 1
end

local function mixed(number)
  number = number % 65537
  return (number * number + 3 * number + 74) % 65537
end

for line in io.lines() do
  local kind, match = line:match('"type":"(%a+)"'), line:match('"match":"([^"]*)"')
  if kind == "start" and not dealt[line:match('"game":"([^"]*)"')] then
    salts[match] = salt(match)
  elseif kind == "end" and match then
    salts[match] = nil
  end
  local decision, moves = line:match('"decision":(%d+)'), legal_moves(line)
  if decision and #moves > 0 then
    local number = tonumber(decision) * 7919
    if salts[match] then
      number = mixed(mixed(number + salts[match]) + salts[match])
    end
    local move = moves[1 + number % #moves]
    if is_encore(line) then
      move = most_boxes(moves)
    end
    print(string.format('{"decision":%s,"move":"%s"}', decision, move))
  end
end
