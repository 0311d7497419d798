-- keys: clock leases meta urgent
-- args: sid token:int ttl_ms:int
-- Keeps a lease and reports whether something waits that should interrupt the step at hand.
if not holds_lease(leases, meta, sid, token) then
  absolve(meta, token)
  return 'fenced'
end
-- A lease that lapsed while no one claimed is still exclusively held: renewing it saves the step.
redis.call('ZADD', leases, now + ttl_ms, sid)
-- The bell may have rung while the worker was cut off from pub/sub, so the set is asked each time.
if redis.call('SCARD', urgent) > 0 then return 'urgent' end
return 'ok'
