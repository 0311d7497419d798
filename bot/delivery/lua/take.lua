-- keys: bucket
-- args: interval_us:int burst:int longest_us:int
-- Takes one call from a bucket that all replicas share; how long the caller has to wait before it makes the call.
-- The value is the time at which the bucket is full again. A wait longer than the caller accepts takes nothing and is
-- returned as a negative number.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full_at = math.max(now, tonumber(redis.call('GET', bucket) or '0'))
local wait = math.max(0, full_at - (burst - 1) * interval_us - now)
if longest_us >= 0 and wait > longest_us then return -wait end
full_at = full_at + interval_us
redis.call('SET', bucket, string.format('%.0f', full_at), 'PX', math.ceil((full_at - now) / 1000) + 1000)
return wait
