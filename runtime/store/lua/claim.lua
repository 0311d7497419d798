-- keys: clock ready aside leases
-- args: session_base worker ttl_ms:int reader_version:int retention_ms:int
-- Gives the session that has waited longest to a worker. The names of a session's keys are built here, because which
-- session it will be is only known here; they share the partition's slot.
local function key_of(session, part) return session_base .. session .. ':' .. part end

-- A lapsed lease returns to the queue at the moment it lapsed, so that a crash does not cost the session its turn.
local lapsed = redis.call('ZRANGEBYSCORE', leases, '-inf', '(' .. now, 'WITHSCORES', 'LIMIT', 0, 100)
for i = 1, #lapsed, 2 do
  local session, meta = lapsed[i], key_of(lapsed[i], 'meta')
  redis.call('ZREM', leases, session)
  redis.call('HINCRBY', meta, 'crashes', 1)
  redis.call('HSET', meta, 'lapsed_token', number_in(meta, 'token'))
  redis.call('ZADD', ready, 'NX', lapsed[i + 1], session)
end

-- What older workers put aside is back in the queue as soon as one that can read it looks.
for _, session in ipairs(redis.call('ZRANGEBYSCORE', aside, '-inf', reader_version, 'LIMIT', 0, 100)) do
  redis.call('ZREM', aside, session)
  redis.call('ZADD', ready, 'NX', now, session)
end

local waiting = redis.call('ZRANGEBYSCORE', ready, '-inf', now, 'WITHSCORES', 'LIMIT', 0, 100)
for i = 1, #waiting, 2 do
  local session, since, meta = waiting[i], tonumber(waiting[i + 1]), key_of(waiting[i], 'meta')
  local needs = number_in(meta, 'reader_version')
  redis.call('ZREM', ready, session)
  if needs > reader_version then
    -- Rolling upgrade: an old reader would misread this journal. Left at the head it would block the queue.
    redis.call('ZADD', aside, needs, session)
    keep(aside, retention_ms)
  else
    redis.call('ZREM', aside, session)
    local token = redis.call('HINCRBY', meta, 'token', 1)
    redis.call('HSET', meta, 'owner', worker)
    redis.call('ZADD', leases, now + ttl_ms, session)
    keep_session({key_of(session, 'inbox'), key_of(session, 'urgent'), key_of(session, 'log'), meta,
                  key_of(session, 'snap')}, retention_ms)
    keep(leases, retention_ms)
    keep(ready, retention_ms)
    return {session, token, number_in(meta, 'seq'), now - since, number_in(meta, 'crashes'),
            number_in(meta, 'failures'), now}
  end
end
keep(ready, retention_ms)
return false
