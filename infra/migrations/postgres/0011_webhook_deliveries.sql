-- A try costs Postgres half as much without the foreign key's look-up: who writes it holds the webhook's row
-- already (see workers/webhooks/sql.ts). Tries go with their webhook all the same.
ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_webhook_id_fkey;

CREATE FUNCTION forget_deliveries() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM webhook_deliveries WHERE webhook_id IN (SELECT id FROM gone);
    RETURN NULL;
END
$$;

CREATE TRIGGER forget_deliveries
    AFTER DELETE ON webhooks
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_deliveries();

-- Tries stand in the order of their times, so that their pages' ranges are enough to find them.
DROP INDEX webhook_deliveries_tried;
CREATE INDEX webhook_deliveries_tried ON webhook_deliveries USING brin (tried_at) WITH (autosummarize);
