-- keys: clock leases open
-- args: base id window_ms:int rates:list
-- Counts one more request of each of those it is for, or says who made too many lately: whose, how many are allowed, and
-- in how many ms there is room. A rate is two items: whose, and how many in a window. A repeated id counts once.
for i = 1, #rates, 2 do
  local key = base .. ':starts:' .. rates[i]
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window_ms)
  local limit = tonumber(rates[i + 1])
  if not redis.call('ZSCORE', key, id) and redis.call('ZCARD', key) >= limit then
    local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
    return {rates[i], limit, tonumber(oldest[2]) + window_ms - now}
  end
end
for i = 1, #rates, 2 do
  local key = base .. ':starts:' .. rates[i]
  redis.call('ZADD', key, 'NX', now, id)
  redis.call('PEXPIRE', key, window_ms * 2)
end
return {}
