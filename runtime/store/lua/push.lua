-- keys: clock seen inbox urgent log meta snap ready leases sessions
-- args: sid entry_id kind payload limit:int is_urgent:bool seen_ms:int retention_ms:int bell
-- Delivers one entry. Unfenced: anyone may push, also while a runner holds the session.
local delivery = sid .. '|' .. entry_id

-- Slack redelivers, and two replicas may receive the same event at once: the first wins.
if redis.call('ZSCORE', seen, delivery) then return 'dup' end
-- A refused entry is not remembered, so that its redelivery may find room.
if not is_urgent and redis.call('XLEN', inbox) >= limit then return 'full' end

local id = redis.call('XADD', inbox, '*', 'k', kind, 'p', payload, 't', now)
redis.call('ZADD', seen, now, delivery)
redis.call('ZREMRANGEBYSCORE', seen, '-inf', now - seen_ms)
redis.call('ZADD', sessions, now, sid)
if is_urgent then redis.call('SADD', urgent, id) end

-- A leased session is not marked: its runner reads the inbox before it releases, and release looks again in the same
-- move that ends the lease. An urgent entry also ends a back-off (LT moves a later turn forward, never an earlier back).
if not redis.call('ZSCORE', leases, sid) then
  redis.call('ZADD', ready, is_urgent and 'LT' or 'NX', now, sid)
end

keep_session({inbox, urgent, log, meta, snap}, retention_ms)
keep(seen, seen_ms * 2)
keep(ready, retention_ms)
keep(sessions, retention_ms)
redis.call('PUBLISH', bell, (is_urgent and 'urgent|' or 'ready|') .. sid)
return 'ok'
