-- keys: clock leases open
-- args: base id owner day tokens:int micros:int ttl_ms:int kept_ms:int scopes:list
-- Holds what a request may cost in every scope, or says which scope has nothing left. A scope is three items: its name,
-- its limit of tokens and of micro-dollars, each below nothing for none.
lapse()
local key = hold_key(id)
local state = redis.call('HGET', key, 'state')
-- The same reservation again: its first reply was lost.
if state == 'held' then
  redis.call('ZADD', leases, now + ttl_ms, id)
  return {'again'}
end
if state == 'settled' then return {'settled'} end

-- A session makes one request at a time: an older one that still holds was a runner's that is gone. Should that one
-- speak after all, what it used is counted when it settles.
local older = redis.call('HGET', open, owner)
if older then let_go(older, 'lapsed') end

-- What costs nothing is never refused.
if tokens > 0 or micros > 0 then
  -- What is used up for good comes before what others hold for the moment.
  for _, with_held in ipairs({false, true}) do
    for i = 1, #scopes, 3 do
      local scope = scope_key(scopes[i])
      for place, what in ipairs({'tokens', 'micros'}) do
        local limit = with_extra(scope, what, tonumber(scopes[i + place]))
        local used = number_in(scope, what)
        if with_held then used = used + number_in(scope, 'held_' .. what) end
        if is_over(used, limit) then return {with_held and 'held' or 'reached', (i - 1) / 3, what, used, limit} end
      end
    end
  end
end

local names = {}
for i = 1, #scopes, 3 do
  local scope = scope_key(scopes[i])
  names[#names + 1] = scopes[i]
  add(scope, 'held_tokens', tokens)
  add(scope, 'held_micros', micros)
  redis.call('SADD', base .. ':day:' .. day, scopes[i])
  keep(scope, kept_ms)
end
keep(base .. ':day:' .. day, kept_ms)
redis.call('HSET', key, 'state', 'held', 'owner', owner, 'tokens', tokens, 'micros', micros, 'scopes', cjson.encode(names))
redis.call('PEXPIRE', key, math.max(86400000, ttl_ms * 2))
redis.call('ZADD', leases, now + ttl_ms, id)
redis.call('HSET', open, owner, id)
keep(leases, kept_ms)
keep(open, kept_ms)
return {'ok'}
