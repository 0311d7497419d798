-- keys: clock deadlines ready leases sessions
-- args: session_base limit:int retention_ms:int bell
-- Turns due deadlines into inbox entries. Removing one and delivering it is one move, so any number of replicas may
-- sweep at once and each deadline arrives once.
local function key_of(session, part) return session_base .. session .. ':' .. part end

local due = redis.call('ZRANGEBYSCORE', deadlines, '-inf', now, 'WITHSCORES', 'LIMIT', 0, limit)
for i = 1, #due, 2 do
  local member, at = due[i], due[i + 1]
  redis.call('ZREM', deadlines, member)
  local session, kind, id = string.match(member, '^([^|]+)|([^|]+)|(.*)$')
  -- A deleted session keeps only its token: nothing of it may come back to life.
  if session and redis.call('HEXISTS', key_of(session, 'meta'), 'seq') == 1 then
    local inbox, urgent = key_of(session, 'inbox'), key_of(session, 'urgent')
    local payload = cjson.encode({kind = kind, id = id, due_ms = tonumber(at)})
    local entry = redis.call('XADD', inbox, '*', 'k', 'deadline', 'p', payload, 't', now)
    redis.call('SADD', urgent, entry)
    -- As in push: the holder of a lease looks for itself.
    if not redis.call('ZSCORE', leases, session) then redis.call('ZADD', ready, 'LT', now, session) end
    redis.call('ZADD', sessions, now, session)
    keep_session({inbox, urgent, key_of(session, 'log'), key_of(session, 'meta'), key_of(session, 'snap')}, retention_ms)
    redis.call('PUBLISH', bell, 'urgent|' .. session)
  end
end
keep(deadlines, retention_ms)
keep(ready, retention_ms)
keep(sessions, retention_ms)
return #due / 2
