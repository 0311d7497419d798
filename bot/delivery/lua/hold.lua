-- keys: bucket
-- args: interval_us:int burst:int pause_us:int
-- Slack said when to come back: nobody takes from the bucket before, and then only one call at a time.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full_at = math.max(tonumber(redis.call('GET', bucket) or '0'), now + pause_us + (burst - 1) * interval_us)
redis.call('SET', bucket, string.format('%.0f', full_at), 'PX', math.ceil((full_at - now) / 1000) + 1000)
return 0
