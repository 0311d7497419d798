-- keys: clock ready
-- args:
-- How many sessions could be claimed now; those in a back-off could not.
return redis.call('ZCOUNT', ready, '-inf', now)
