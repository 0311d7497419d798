-- keys: clock leases meta log inbox urgent snap deadlines sessions
-- args: sid token:int seq:int status reader_version:int retention_ms:int is_progress:bool consumed:list due:list events:list
-- Consumes entries, appends events and sets or clears deadlines, all or nothing. Every check stands before the first
-- write, because a script is not rolled back.

-- A runner that was paused or partitioned while another took over may write nothing.
if not holds_lease(leases, meta, sid, token) then return {'fenced'} end
-- The same commit sent twice (its first reply was lost), or a runner that missed an append of its own.
local at = number_in(meta, 'seq')
if at ~= seq then return {'conflict', at} end
for _, id in ipairs(consumed) do
  -- A commit without events does not move the position; a repeat of it is caught here.
  if #redis.call('XRANGE', inbox, id, id) == 0 then return {'conflict', at} end
end

for i, event in ipairs(events) do
  -- The server refuses an id that is not above its last also after trimming, whatever meta says. Only the first can
  -- be refused, so a refusal still changes nothing.
  local added = redis.pcall('XADD', log, (seq + i) .. '-0', 'e', event, 't', now)
  if type(added) == 'table' and added.err then
    if i == 1 and string.find(added.err, 'equal or smaller', 1, true) then return {'conflict', at} end
    return redis.error_reply(added.err)
  end
end
for _, id in ipairs(consumed) do
  redis.call('XDEL', inbox, id)
  redis.call('SREM', urgent, id)
end
local furthest = retention_ms
for i = 1, #due, 2 do
  local in_ms = tonumber(due[i + 1])
  if in_ms > 0 then
    redis.call('ZADD', deadlines, now + in_ms, due[i])
    -- A session must outlive what it waits for.
    furthest = math.max(furthest, in_ms + 86400000)
  else
    redis.call('ZREM', deadlines, due[i])
  end
end
local seq_after = seq + #events
redis.call('HSET', meta, 'seq', seq_after, 'status', status, 'updated_at', now)
-- A run that got further between two crashes did not kill its workers.
if is_progress and number_in(meta, 'crashes') > 0 then
  redis.call('HSET', meta, 'crashes', 0)
  redis.call('HDEL', meta, 'lapsed_token')
end
-- Never lowered: older parts of the journal keep needing the reader they needed.
if reader_version > number_in(meta, 'reader_version') then redis.call('HSET', meta, 'reader_version', reader_version) end
redis.call('ZADD', sessions, now, sid)
redis.call('ZREMRANGEBYSCORE', sessions, '-inf', now - furthest)
keep_session({inbox, urgent, log, meta, snap}, furthest)
keep(deadlines, furthest)
keep(sessions, furthest)
keep(leases, retention_ms)
return {'ok', seq_after, now}
