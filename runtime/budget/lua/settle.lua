-- keys: clock leases open
-- args: base id day kept_ms:int near:int counter failed:bool fresh:int cached:int output:int reasoning:int micros:int scopes:list
-- Lets go of what was held and counts what was used, once per reservation, also after it lapsed. Returns each limit of
-- which `near` percent are used for the first time: place of the scope, what, used, limit.
local key = hold_key(id)
if redis.call('HGET', key, 'state') == 'settled' then return {} end
let_go(id, 'settled')
redis.call('HSET', key, 'state', 'settled')
redis.call('PEXPIRE', key, 86400000)

local told = {}
for i = 1, #scopes, 3 do
  local scope = scope_key(scopes[i])
  add(scope, 'tokens', fresh + output)
  add(scope, 'input', fresh)
  add(scope, 'cached', cached)
  add(scope, 'output', output)
  add(scope, 'reasoning', reasoning)
  add(scope, 'micros', micros)
  add(scope, counter, 1)
  if failed then add(scope, 'failed', 1) end
  redis.call('SADD', base .. ':day:' .. day, scopes[i])
  keep(scope, kept_ms)
  for place, what in ipairs({'tokens', 'micros'}) do
    local limit, used = with_extra(scope, what, tonumber(scopes[i + place])), number_in(scope, what)
    if limit > 0 and used * 100 >= limit * near and used < limit then
      if redis.call('HSETNX', scope, 'told_' .. what, 1) == 1 then
        for _, item in ipairs({(i - 1) / 3, what, used, limit}) do told[#told + 1] = item end
      end
    end
  end
end
keep(base .. ':day:' .. day, kept_ms)
return told
