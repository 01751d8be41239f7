-- Who watches the installation asks for these few every few seconds.
CREATE INDEX webhooks_failing ON webhooks (id)
    WHERE failing_since IS NOT NULL OR disabled_why IN ('gone', 'failing');
