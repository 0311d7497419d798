-- keys: bucket
-- args: interval_us:int burst:int
-- How long a call would have to wait if it were made now; nothing is taken.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full_at = math.max(now, tonumber(redis.call('GET', bucket) or '0'))
return math.max(0, full_at - (burst - 1) * interval_us - now)
