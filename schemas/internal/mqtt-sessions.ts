/** In Redis: the log identity of the edge that has a session of MQTT, under the session's key in hexadecimal. */
export const mqttSessionKey = (session: string): string => `millrace:mqtt-session:${session}`;

/** Longer than any connection and session is expected to last together. */
export const mqttSessionSeconds = 90 * 24 * 3_600;
