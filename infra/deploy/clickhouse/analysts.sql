-- For people who look at messages with Grafana or another tool, by SQL: views with readable columns, in a database of
-- their own, and a user who can read these and nothing else. Run it after the migrations, as a user who may make users:
--
--   clickhouse-client --param_password="$(openssl rand -hex 20)" --queries-file analysts.sql
--
-- It can be run again: views and limits are made anew, and the user's password is the new one.
--
-- These views show the messages of every org. An analyst of one org gets a view of their own that names its groups:
-- `WHERE publisher IN (SELECT publisher FROM millrace.publishers FINAL WHERE group_id IN (…))`.

CREATE DATABASE IF NOT EXISTS millrace_analysts;

-- `time` is for people. Filter by `day` too, which counts days since 1970: the tables are sorted by it, so that ClickHouse
-- reads only the days that are asked for. `time_ns` is the time in nanoseconds since 1970.
--
-- Each view is read with the rights of who made it, so that the user needs none on the tables under it.
CREATE OR REPLACE VIEW millrace_analysts.senml
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT
    publisher AS thing_id,
    subtopic,
    name,
    unit,
    fromUnixTimestamp64Nano(senml.time, 'UTC') AS time,
    intDiv(senml.time, 86400000000000) AS day,
    senml.time AS time_ns,
    -- Which of the next four has the value; `none` has only a sum.
    kind,
    if(kind = 'value', senml.value, NULL) AS value,
    if(kind = 'bool', senml.value = 1, NULL) AS bool_value,
    if(kind = 'string', text, NULL) AS string_value,
    if(kind = 'data', text, NULL) AS data_value,
    sum,
    update_time AS update_seconds
FROM millrace.senml AS senml;

CREATE OR REPLACE VIEW millrace_analysts.json
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT
    publisher AS thing_id,
    subtopic,
    fromUnixTimestamp64Nano(created, 'UTC') AS time,
    intDiv(created, 86400000000000) AS day,
    created AS time_ns,
    payload
FROM millrace.json;

-- Which group each thing is in. Names of things and groups are in PostgreSQL.
CREATE OR REPLACE VIEW millrace_analysts.things
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT publisher AS thing_id, group_id FROM millrace.publishers FINAL;

-- The limits can't be raised by a query: a MAX, or CONST. What Grafana's data source sets by itself may change.
CREATE SETTINGS PROFILE OR REPLACE millrace_analyst SETTINGS
    readonly = 2 CONST,
    allow_ddl = 0 CONST,
    max_execution_time = 30 MAX 60,
    max_memory_usage = 1073741824 MAX 1073741824,
    max_bytes_before_external_group_by = 536870912,
    max_rows_to_read = 1000000000 MAX 1000000000,
    max_result_rows = 1000000 MAX 1000000,
    max_threads = 2 MAX 4,
    max_concurrent_queries_for_user = 4 CONST,
    priority = 10 CONST;

CREATE QUOTA OR REPLACE millrace_analyst FOR INTERVAL 1 hour MAX queries = 3600, execution_time = 1800 TO millrace_analyst;

CREATE USER OR REPLACE millrace_analyst
    IDENTIFIED WITH sha256_password BY {password:String}
    DEFAULT DATABASE millrace_analysts
    SETTINGS PROFILE 'millrace_analyst';

GRANT SELECT ON millrace_analysts.* TO millrace_analyst;
