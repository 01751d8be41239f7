import type { Connections } from '../../../infra/runtime/network/connections.ts';
import type { Mqtt } from './mqtt.ts';
import { type Certificates, type Listener, listenTcp } from './tcp.ts';

/** Ports for MQTT; undefined: off. */
export type MqttPorts = {
  port: number | undefined;
  tls: (Certificates & { port: number | undefined }) | undefined;
};

/** The ports that are open. */
export type MqttListeners = {
  mqttPort: number | undefined;
  mqttTlsPort: number | undefined;
  /** Takes no new connections, and ends those that are open once what they sent is answered. */
  close(): Promise<void>;
};

/** @throws when a port is taken. */
export async function listenMqtt(
  mqtt: Mqtt,
  { port, tls }: MqttPorts,
  { host, processes }: { host: string; processes: number },
  connections: Connections,
): Promise<MqttListeners> {
  const listeners: Listener[] = [];
  const listen = async (setting: string, at: number | undefined, certificates: typeof tls) => {
    if (at === undefined) return undefined;
    const options = { setting, host, port: at, processes, tls: certificates };
    const listener = await listenTcp(options, mqtt, connections);
    listeners.push(listener);
    return listener.port;
  };
  return {
    mqttPort: await listen('MQTT_PORT', port, undefined),
    mqttTlsPort: await listen('MQTT_TLS_PORT', tls?.port, tls),
    async close() {
      for (const listener of listeners) listener.close();
      await mqtt.stop();
    },
  };
}
