-- keys: clock ready aside leases inbox
-- args: sid
-- Whether there is anything to do or anyone doing it. The parts change together in other scripts, so asking for them
-- one by one from outside could miss a session on its way from one to the next.
if redis.call('ZSCORE', leases, sid) or redis.call('ZSCORE', ready, sid) or redis.call('ZSCORE', aside, sid) then
  return 'busy'
end
return redis.call('XLEN', inbox) > 0 and 'busy' or 'idle'
