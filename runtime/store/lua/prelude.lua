-- Stands before every script, after the locals the loader makes of its `keys` and `args` lines.
-- Time is the server's, never a client's: clients' clocks differ, and one may have been paused.
local server_time = redis.call('TIME')
local now = server_time[1] * 1000 + math.floor(server_time[2] / 1000) + tonumber(redis.call('GET', clock) or '0')

-- Lifetimes are only ever extended, and only once a tenth of one has passed, so that a busy session
-- does not write an expiry per key and step into the append-only file.
local function is_worn(left, lifetime_ms)
  return left ~= -2 and left < lifetime_ms * 0.9
end

local function keep(key, lifetime_ms)
  if is_worn(redis.call('PTTL', key), lifetime_ms) then redis.call('PEXPIRE', key, lifetime_ms) end
end

-- A journal that expired before its meta could never be appended to again: all keys of a session go together.
local function keep_session(session_keys, lifetime_ms)
  local worn, longest = false, lifetime_ms
  for _, key in ipairs(session_keys) do
    local left = redis.call('PTTL', key)
    worn = worn or is_worn(left, lifetime_ms)
    longest = math.max(longest, left)
  end
  if worn then
    for _, key in ipairs(session_keys) do redis.call('PEXPIRE', key, longest) end
  end
end

local function number_in(hash, field)
  return tonumber(redis.call('HGET', hash, field) or '0')
end

-- A lease ends when a claim takes it away, not at an instant: until then no one else can have run.
local function holds_lease(leases_key, meta_key, session, lease_token)
  return number_in(meta_key, 'token') == lease_token and redis.call('ZSCORE', leases_key, session) ~= false
end

-- A worker that can still speak did not crash; it was paused or cut off. Its lapse must not count against the run.
local function absolve(meta_key, lease_token)
  if number_in(meta_key, 'lapsed_token') == lease_token and number_in(meta_key, 'crashes') > 0 then
    redis.call('HDEL', meta_key, 'lapsed_token')
    redis.call('HINCRBY', meta_key, 'crashes', -1)
  end
end
