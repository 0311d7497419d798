-- keys: clock leases open
-- args: base sid ttl_ms:int seats:list
-- Lets a session count as one run at work for each of those it works for, or says who has no place left. A place is two
-- items: whose, and how many there are. A session that has its places keeps them.
for i = 1, #seats, 2 do
  local key = base .. ':seats:' .. seats[i]
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  if not redis.call('ZSCORE', key, sid) and redis.call('ZCARD', key) >= tonumber(seats[i + 1]) then
    return {seats[i], tonumber(seats[i + 1])}
  end
end
for i = 1, #seats, 2 do
  local key = base .. ':seats:' .. seats[i]
  redis.call('ZADD', key, now + ttl_ms, sid)
  redis.call('PEXPIRE', key, ttl_ms * 2)
end
return {}
