-- Since when history waits to be corrected: `noted_at` begins anew whenever it is looked at, with success or without.
ALTER TABLE alarm_corrections ADD since timestamptz NOT NULL DEFAULT now();
