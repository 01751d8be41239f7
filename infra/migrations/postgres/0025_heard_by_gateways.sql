-- The gateway that sent for a thing when it was heard last; NULL: it was heard by itself. While a gateway is silent, nobody is told
-- of the silence of these (workers/alarms/notices). It has no index, and changes only where a thing changes its gateway, so
-- PostgreSQL goes on rewriting rows in place. It is no foreign key: a gateway that is gone has no alarm.
ALTER TABLE things_seen ADD gateway_id uuid;
