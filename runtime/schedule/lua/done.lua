-- keys: clock due firing since items
-- args: id at_ms:int body next_ms:int kept_ms:int
-- Ends what `take` gave, unless it was changed, paused or given to somebody else meanwhile. No body: gone.
if tonumber(redis.call('HGET', since, id) or '-1') ~= at_ms then return 0 end
redis.call('ZREM', firing, id)
redis.call('HDEL', since, id)
if body == '' then
  redis.call('HDEL', items, id)
  return 1
end
redis.call('HSET', items, id, body)
if next_ms > 0 then redis.call('ZADD', due, next_ms, id) end
for _, key in ipairs({due, items}) do keep(key, math.max(kept_ms, next_ms - now + 86400000)) end
return 1
