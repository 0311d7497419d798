-- keys: clock leases open
-- args: base id scope_name tokens:int micros:int kept_ms:int
-- Adds to one scope's limit, once per id, however often it is repeated.
local scope = scope_key(scope_name)
if redis.call('HSETNX', scope, 'added:' .. id, 1) == 0 then return 0 end
redis.call('HINCRBY', scope, 'extra_tokens', tokens)
redis.call('HINCRBY', scope, 'extra_micros', micros)
redis.call('HDEL', scope, 'told_tokens', 'told_micros')
keep(scope, kept_ms)
return 1
