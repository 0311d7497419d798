-- keys: clock due firing since items
-- args: id body due_ms:int kept_ms:int
-- Writes a record and when it is due next; what was just being begun is begun no more. 0: not due, no body: gone.
redis.call('ZREM', due, id)
redis.call('ZREM', firing, id)
redis.call('HDEL', since, id)
if body == '' then return redis.call('HDEL', items, id) end
redis.call('HSET', items, id, body)
if due_ms > 0 then redis.call('ZADD', due, due_ms, id) end
for _, key in ipairs({due, items}) do keep(key, math.max(kept_ms, due_ms - now + 86400000)) end
return 1
