-- keys: clock chain meta positions names
-- args: session seq:int n:int tip retention_ms:int entries:list hashes:list times:list
-- Appends the links made of one session's journal up to a position, once, behind exactly the tip they were made for.

-- A repeat after a lost reply, or a takeover that read the same journal.
if number_in(positions, session) >= seq then return {'known'} end
if #entries > 0 then
  -- Another session of the workspace was faster: the caller links its entries anew.
  if number_in(meta, 'n') ~= n or (redis.call('HGET', meta, 'tip') or '') ~= tip then return {'moved'} end
  for i, entry in ipairs(entries) do
    redis.call('XADD', chain, (n + i) .. '-0', 'e', entry, 'h', hashes[i], 't', times[i])
  end
  redis.call('HSET', meta, 'n', n + #entries, 'tip', hashes[#hashes])
  -- What is older than the retention goes from the front; the hash of the last one gone anchors the rest.
  for _ = 1, 20 do
    local first = redis.call('XRANGE', chain, '-', '+', 'COUNT', 1)[1]
    if not first or tonumber(first[2][6]) >= now - retention_ms then break end
    redis.call('XDEL', chain, first[1])
    redis.call('HSET', meta, 'anchor_n', string.match(first[1], '^%d+'), 'anchor', first[2][4])
  end
end
redis.call('HSET', positions, session, seq)
for _, key in ipairs({chain, meta, positions, names}) do keep(key, retention_ms) end
return {'ok'}
