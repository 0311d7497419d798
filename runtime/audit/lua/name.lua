-- keys: clock names
-- args: name fresh retention_ms:int
-- The secret of a name, made at its first use. In one move, so that a crash leaves no key without a lifetime.
redis.call('HSETNX', names, name, fresh)
redis.call('PEXPIRE', names, retention_ms)
return redis.call('HGET', names, name)
