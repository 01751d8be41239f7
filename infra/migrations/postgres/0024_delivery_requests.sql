-- The request that brought the message; null where it came before these were kept.
ALTER TABLE webhook_deliveries ADD COLUMN request_id text;
