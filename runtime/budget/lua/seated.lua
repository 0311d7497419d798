-- keys: clock leases open
-- args: base whose
-- How many runs count as at work for somebody.
return redis.call('ZCOUNT', base .. ':seats:' .. whose, '(' .. now, '+inf')
