-- keys: clock ready aside leases sessions meta log inbox urgent snap
-- args: sid tombstone_ms:int
-- Deletes all data of a session. Its token stays for a while: if it began again at 1, a runner that still holds an old
-- lease could pass for the new one. Deadlines left behind find no session and vanish when due.
local token = redis.call('HGET', meta, 'token')
redis.call('DEL', meta, log, inbox, urgent, snap)
redis.call('ZREM', ready, sid)
redis.call('ZREM', aside, sid)
redis.call('ZREM', leases, sid)
redis.call('ZREM', sessions, sid)
if token then
  redis.call('HSET', meta, 'token', token)
  redis.call('PEXPIRE', meta, tombstone_ms)
  return 1
end
return 0
