-- keys: clock due firing since items
-- args: limit:int lease_ms:int kept_ms:int
-- Gives due records to one process, which has a while to begin each. One that vanished meanwhile loses them to another.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', firing, '-inf', now)) do
  redis.call('ZREM', firing, id)
  redis.call('ZADD', due, redis.call('HGET', since, id) or now, id)
end
local taken = {}
local found = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'WITHSCORES', 'LIMIT', 0, limit)
for i = 1, #found, 2 do
  local id, at = found[i], tonumber(found[i + 1])
  redis.call('ZREM', due, id)
  local body = redis.call('HGET', items, id)
  if body then
    redis.call('ZADD', firing, now + lease_ms, id)
    redis.call('HSET', since, id, at)
    for _, item in ipairs({id, at, body}) do taken[#taken + 1] = item end
  end
end
keep(firing, kept_ms)
keep(since, kept_ms)
return {now, taken}
