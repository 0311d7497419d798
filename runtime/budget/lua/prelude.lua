-- Nothing is written where nothing changes: each write goes into the append-only file.
local function add(key, field, amount)
  if amount ~= 0 then redis.call('HINCRBY', key, field, amount) end
end

local function scope_key(name) return base .. ':scope:' .. name end
local function hold_key(reservation) return base .. ':hold:' .. reservation end

-- Ends a reservation that still holds something; its record stays, so that what comes late is counted once.
local function let_go(reservation, state)
  local key = hold_key(reservation)
  local held = redis.call('HMGET', key, 'state', 'tokens', 'micros', 'scopes', 'owner')
  if held[1] ~= 'held' then return false end
  for _, name in ipairs(cjson.decode(held[4])) do
    add(scope_key(name), 'held_tokens', 0 - tonumber(held[2]))
    add(scope_key(name), 'held_micros', 0 - tonumber(held[3]))
  end
  redis.call('HSET', key, 'state', state)
  redis.call('ZREM', leases, reservation)
  if redis.call('HGET', open, held[5]) == reservation then redis.call('HDEL', open, held[5]) end
  return true
end

-- What a process held that vanished goes back as soon as anybody looks.
local function lapse()
  local lapsed = redis.call('ZRANGEBYSCORE', leases, '-inf', now, 'LIMIT', 0, 100)
  for _, reservation in ipairs(lapsed) do
    if not let_go(reservation, 'lapsed') then redis.call('ZREM', leases, reservation) end
  end
  return #lapsed
end

-- A limit of nothing is a limit: what costs nothing may still run under it. Below nothing there is none.
local function is_over(used, limit)
  if limit < 0 then return false end
  if limit == 0 then return used > 0 end
  return used >= limit
end

local function with_extra(scope, what, limit)
  if limit < 0 then return limit end
  return limit + number_in(scope, 'extra_' .. what)
end
