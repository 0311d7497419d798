-- keys: clock leases meta inbox urgent log snap
-- args: sid token:int seq:int body keep_events:int retention_ms:int
-- Stores a fold of the journal. Fenced: a late one could bring back a session that was deleted meanwhile, or stand as
-- the fold of the journal that was begun after it.
if not holds_lease(leases, meta, sid, token) or number_in(meta, 'seq') < seq then return 'stale' end
-- Nor may it stand before what was trimmed under a newer one: the events between would be missing.
local trimmed = number_in(meta, 'trimmed')
if seq < trimmed then return 'stale' end
redis.call('SET', snap, body)
if keep_events > 0 and seq - keep_events > trimmed then
  -- In the same move: the journal never misses what no snapshot holds.
  redis.call('XTRIM', log, 'MINID', (seq - keep_events + 1) .. '-0')
  redis.call('HSET', meta, 'trimmed', seq - keep_events)
end
keep_session({inbox, urgent, log, meta, snap}, retention_ms)
return 'ok'
