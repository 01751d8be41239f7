import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Value } from 'typebox/value';
import { type Load, LoadSummary } from './wrk.ts';

type MqttLoad = {
  port: number;
  version: 4 | 5;
  requestsPath: string;
  connections: number;
  /** Messages that each connection may have under way. */
  window: number;
  seconds: number;
  /** Of all connections; left out: as fast as they are acknowledged. */
  perSecond?: number;
};

/** Sends the prepared messages over MQTT with QoS 1. */
export async function mqttLoad(options: MqttLoad): Promise<Load> {
  const { port, version, requestsPath, connections, window, seconds, perSecond = 0 } = options;
  const script = join(import.meta.dirname, 'mqtt-generator.ts');
  const numbers = [connections, window, seconds, perSecond].map(String);
  const args = [script, String(version), requestsPath, ...numbers];
  const env = { ...process.env, BENCH_TARGET: `127.0.0.1:${port}` };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const summary = Value.Parse(LoadSummary, JSON.parse(stdout));
  return { ...summary, requestsPerSecond: summary.requests / (summary.microseconds / 1e6) };
}
