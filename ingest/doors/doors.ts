import type { ClientAddress } from '../../infra/runtime/network/client-address.ts';
import { type ConnectionLimits, Connections } from '../../infra/runtime/network/connections.ts';
import type { Cors } from '../../infra/runtime/network/cors.ts';
import type { OperatorResponses } from '../../infra/runtime/observability/operator-server.ts';
import type { Tracing } from '../../infra/runtime/observability/tracing.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { CommandParts } from '../commands/open.ts';
import type { Intake } from '../intake/intake.ts';
import type { RefusedMessages } from '../rates/refused-messages.ts';
import { BodyRoom } from '../intake/kept-body.ts';
import { limits } from '../limits.ts';
import { createAccessLog } from './access-log.ts';
import { Answered } from './http/answered.ts';
import { CommandRequests } from './http/commands.ts';
import type { ExchangeOptions } from './http/exchange.ts';
import { MessageRequests } from './http/messages.ts';
import { InfluxWrites } from './influx/writes.ts';
import type { SessionParts } from './mqtt/kept/open.ts';
import { listenMqtt, type MqttListeners, type MqttPorts } from './mqtt/listening.ts';
import { Mqtt } from './mqtt/mqtt.ts';
import { type Handlers, serve, type Server, type ServerOptions } from './server.ts';
import { FrameReceiver } from './stream/frame-receiver.ts';
import { Streams } from './stream/streams.ts';
import { ThingConnections, type ThingConnectionLimits } from './thing-connections.ts';

type DoorsConfig = {
  bodyBytesMax: number;
  codec: { recordsPerMessageMax: number };
  subtopicCharsMax: number;
  connections: ConnectionLimits;
  thingConnections: ThingConnectionLimits;
  clientAddress: ClientAddress;
  cors: Cors | undefined;
  accessLogShare: number;
  listen: ServerOptions;
  mqtt: MqttPorts;
};

/** The ports that are open. */
export type OpenDoors = Pick<Server, 'port' | 'close'> &
  Pick<MqttListeners, 'mqttPort' | 'mqttTlsPort'>;

/** Where messages come in: requests and streams, on the same ports, and MQTT on its own. */
export type Doors = {
  answered: Answered;
  connections: Connections;
  streams: Streams;
  mqtt: Mqtt;
  /** Opens them. Beside messages they serve what operators ask for, by path. */
  open(operations: OperatorResponses): Promise<OpenDoors>;
};

type DoorsParts = {
  intake: Intake;
  commands: CommandParts;
  sessions: SessionParts;
  refused: RefusedMessages;
  tracing: Tracing | undefined;
  logger: Logger;
};

export function createDoors(
  config: DoorsConfig,
  { intake, commands, sessions, refused, tracing, logger }: DoorsParts,
): Doors {
  const { bodyBytesMax, subtopicCharsMax, clientAddress } = config;
  const { isProxy } = clientAddress;
  const bodies = new BodyRoom({ bodyBytesMax, bufferedBytesMax: limits.bufferedBytesMax });
  const answered = new Answered();
  const connections = new Connections(config.connections, isProxy, logger);
  const requests = new MessageRequests({ intake, subtopicCharsMax, tracing });
  const { recordsPerMessageMax } = config.codec;
  const { nameCharsMax } = limits;
  const frames = new FrameReceiver({ intake, recordsPerMessageMax, nameCharsMax, logger });
  const counts = new ThingConnections(config.thingConnections);
  const accessLog = createAccessLog(logger, config.accessLogShare);
  const streams = new Streams({
    intake,
    requests,
    frames,
    subtopicCharsMax,
    bodies,
    commands: commands.commands,
    counts,
    isProxy,
  });
  const mqtt = new Mqtt({
    intake,
    commands,
    counts,
    refused,
    isProxy,
    bodies,
    recordsPerMessageMax,
    subtopicCharsMax,
    ...sessions,
    accessLog,
    logger,
  });
  const exchanges = {
    bodies,
    chunkStallMsMax: limits.chunkStallMsMax,
    clientAddress,
    cors: config.cors,
    accessLog,
    answered,
  };
  const message = requests.message.bind(requests);
  const asked = new CommandRequests({ ...commands, intake, subtopicCharsMax });
  const influx = new InfluxWrites({ intake, requests, cors: config.cors });
  return {
    answered,
    connections,
    streams,
    mqtt,
    open: (operations) => {
      const handlers = { message, streams, mqtt, commands: asked, influx, operations, connections };
      return openDoors(handlers, exchanges, mqtt, config);
    },
  };
}

async function openDoors(
  handlers: Omit<Handlers, 'otherPorts'>,
  exchanges: Omit<ExchangeOptions, 'opened'>,
  mqtt: Mqtt,
  config: DoorsConfig,
): Promise<OpenDoors> {
  const listeners = await listenMqtt(mqtt, config.mqtt, config.listen, handlers.connections);
  const { mqttPort, mqttTlsPort } = listeners;
  const otherPorts = [mqttPort, mqttTlsPort].filter((port) => port !== undefined);
  const server = await serve({ ...handlers, otherPorts }, exchanges, config.listen);
  return {
    port: server.port,
    mqttPort,
    mqttTlsPort,
    close: async () => void (await Promise.all([server.close(), listeners.close()])),
  };
}
