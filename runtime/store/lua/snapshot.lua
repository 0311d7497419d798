-- keys: clock meta inbox urgent log snap
-- args: seq:int body retention_ms:int
-- Stores a fold of the journal. Unfenced: a fold of what is committed is right whoever made it, but a late one must not
-- bring back a session that was deleted meanwhile.
if number_in(meta, 'seq') < seq then return 'stale' end
redis.call('SET', snap, body)
keep_session({inbox, urgent, log, meta, snap}, retention_ms)
return 'ok'
