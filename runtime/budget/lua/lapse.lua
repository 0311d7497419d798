-- keys: clock leases open
-- args: base
-- Gives back what vanished processes held, also when nobody reserves anything.
return lapse()
