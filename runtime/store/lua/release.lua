-- keys: clock leases meta inbox urgent ready
-- args: sid token:int again:bool failed:bool is_patient:bool delay_ms:int retention_ms:int bell
-- Ends a lease and puts the session back into the queue when there is more to do.
if not holds_lease(leases, meta, sid, token) then
  absolve(meta, token)
  return 'fenced'
end
redis.call('ZREM', leases, sid)
redis.call('HSET', meta, 'crashes', 0)
redis.call('HDEL', meta, 'owner', 'lapsed_token')
if failed then redis.call('HINCRBY', meta, 'failures', 1) else redis.call('HSET', meta, 'failures', 0) end

-- An entry pushed after the runner last read its inbox did not mark the session, since it was leased: look once more
-- in the same move. An urgent one does not wait for the end of a back-off, except where nothing may be done anyway.
local waiting = redis.call('XLEN', inbox) > 0
if again or waiting then
  if not is_patient and redis.call('SCARD', urgent) > 0 then delay_ms = 0 end
  redis.call('ZADD', ready, 'NX', now + delay_ms, sid)
  keep(ready, retention_ms)
  if delay_ms == 0 then redis.call('PUBLISH', bell, 'ready|' .. sid) end
  return 'queued'
end
return 'idle'
