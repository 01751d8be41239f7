/** SQL for a time as microseconds since 1970, as records have it. PostgreSQL's `at_us` is the way back. */
export const usOf = (time: string): string => `(extract(epoch FROM ${time}) * 1000000)::float8`;
