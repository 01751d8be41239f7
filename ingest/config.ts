import { accessSync, constants } from 'node:fs';
import { type Static, Type } from 'typebox';
import { commandSettings, readCommandLimits } from '../infra/runtime/commands/settings.ts';
import { aboutSettings, readAbout } from '../infra/runtime/process/about.ts';
import { readTracing, tracingSettings } from '../infra/runtime/observability/tracing.ts';
import {
  metricsSettings,
  readMetricsAccess,
} from '../infra/runtime/observability/metrics-access.ts';
import {
  ConfigError,
  connectionSettings,
  logSettings,
  port,
  portOf,
  portOrOff,
  readSettings,
  Secret,
} from '../infra/runtime/process/config.ts';
import { connectionsWithin, descriptorsMax } from '../infra/runtime/process/descriptors.ts';
import { clusterSettings, storeUrl } from '../infra/runtime/stores/cluster.ts';
import {
  type ClientAddress,
  parseNetworks,
  proxySettings,
  readClientAddress,
} from '../infra/runtime/network/client-address.ts';
import { corsSettings, readCors } from '../infra/runtime/network/cors.ts';
import { CertificateProxies, certificateHeaders } from './doors/http/certificate-proxies.ts';
import type { MqttPorts } from './doors/mqtt/listening.ts';
import type { TlsConfig } from './doors/server.ts';
import { limits } from './limits.ts';

/** By their names in the environment. */
export const IngestSettings = Type.Object({
  ...connectionSettings,
  ...commandSettings,
  ...clusterSettings,
  ...logSettings,
  ...proxySettings,
  ...corsSettings,
  /** The share of requests that are logged, from 0 to 1. */
  INGEST_ACCESS_LOG: Type.Number({ minimum: 0, maximum: 1, default: 0 }),
  ...aboutSettings,
  ...tracingSettings,
  ...metricsSettings,
  INGEST_HOST: Type.String({ default: '0.0.0.0' }),
  INGEST_PORT: port(8081),
  /** How many edges share the port on this machine, and which of them this is. */
  INGEST_PROCESSES: Type.Integer({ minimum: 1, maximum: 64, default: 1 }),
  INGEST_INDEX: Type.Integer({ minimum: 0, maximum: 63, default: 0 }),
  /** Edges that share a port have one each for operators: this one plus the edge's index. */
  INGEST_OPERATOR_PORT: port(8090),
  DATA_DIR: Type.String({ default: './data' }),
  SECRET_KEY: Type.String({ minLength: 16 }),
  /** Of each edge's log. */
  LOG_MAX_BYTES: Type.Integer({ minimum: 4 * limits.segmentBytes, default: 10 * 1024 ** 3 }),
  /** How much of the log's disk stays free for others: databases do not survive a full disk. */
  DISK_RESERVE_BYTES: Type.Integer({ minimum: 0, default: 1024 ** 3 }),
  BODY_BYTES_MAX: Type.Integer({ minimum: 1024, maximum: 4 * 1024 ** 2, default: 1024 ** 2 }),
  RECORDS_PER_MESSAGE_MAX: Type.Integer({ minimum: 1, maximum: 100_000, default: 10_000 }),
  NESTING_MAX: Type.Integer({ minimum: 3, maximum: 1_000, default: 32 }),
  SUBTOPIC_CHARS_MAX: Type.Integer({ minimum: 1, maximum: 254, default: 254 }),
  UNKNOWN_KEYS_PER_MINUTE_MAX: Type.Integer({ minimum: 1, default: 1_000 }),
  /** The memory for keys, certificates and profiles. */
  EDGE_KEYS_BYTES_MAX: Type.Integer({ minimum: 1024 ** 2, default: 512 * 1024 ** 2 }),
  /** Messages a second for each thing; 0: no limit. */
  THING_RATE_LIMIT: Type.Number({ minimum: 0, default: 0 }),
  /** Connections of one network, and those of one org that stay open; by default a part of all. */
  EDGE_CONNECTIONS_PER_NETWORK_MAX: Type.Optional(Type.Integer({ minimum: 1 })),
  EDGE_STREAMS_PER_ORG_MAX: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Networks of proxies that end TLS and pass client certificates on, and the header in which they do. */
  EDGE_CLIENT_CERT_PROXIES: Type.Optional(Type.String()),
  EDGE_CLIENT_CERT_HEADER: Type.Optional(Type.Enum([...certificateHeaders])),
  /** Where MQTT is taken; off: nowhere. And over TLS, where the edge has a certificate. */
  MQTT_PORT: portOrOff(1883),
  MQTT_TLS_PORT: portOrOff(8883),
  /** A second port, with TLS: the edge's own certificate and key, and whose client certificates it takes. */
  EDGE_TLS_PORT: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
  EDGE_TLS_CERT: Type.Optional(Type.String()),
  EDGE_TLS_KEY: Type.Optional(Type.String()),
  EDGE_TLS_CLIENT_CA: Type.Optional(Type.String()),
  /** How many bytes of one org's messages Postgres keeps until their last delivery is done. */
  WEBHOOK_BYTES_PER_ORG_MAX: Type.Integer({ minimum: 1024, default: 1024 ** 3 }),
});

/** The edge's settings, one typed value. @throws ConfigError naming every bad variable. */
export function readIngestConfig(env: NodeJS.ProcessEnv, descriptors = descriptorsMax()) {
  const settings = readSettings(IngestSettings, env);
  return {
    ...connectionLimitsOf(settings, descriptors),
    about: readAbout('Millrace edge', settings),
    logLevel: settings.LOG_LEVEL,
    tracing: readTracing('millrace-ingest', settings),
    metricsAccess: readMetricsAccess(settings),
    accessLogShare: settings.INGEST_ACCESS_LOG,
    databaseUrl: settings.DATABASE_URL,
    redisUrl: settings.REDIS_URL,
    commandLimits: readCommandLimits(settings),
    clickhouseUrl: storeUrl(settings),
    dataDir: settings.DATA_DIR,
    secretKey: new Secret(settings.SECRET_KEY),
    processes: settings.INGEST_PROCESSES,
    index: settings.INGEST_INDEX,
    listen: {
      host: settings.INGEST_HOST,
      port: settings.INGEST_PORT,
      processes: settings.INGEST_PROCESSES,
      certificateProxies: proxiesOf(settings),
      tls: tlsOf(settings),
    },
    mqtt: mqttOf(settings),
    operatorPort: operatorPortOf(settings),
    clientAddress: clientAddressOf(settings),
    cors: readCors(settings),
    log: {
      segmentBytes: limits.segmentBytes,
      groupBytesMax: limits.groupBytesMax,
      groupsMax: limits.groupsMax,
      logBytesMax: settings.LOG_MAX_BYTES,
      reserveBytes: settings.DISK_RESERVE_BYTES,
    },
    bodyBytesMax: settings.BODY_BYTES_MAX,
    codec: {
      recordsPerMessageMax: settings.RECORDS_PER_MESSAGE_MAX,
      nestingMax: settings.NESTING_MAX,
      nameCharsMax: limits.nameCharsMax,
      membersPerObjectMax: limits.membersPerObjectMax,
      containersMax: limits.containersMax,
    },
    lines: {
      recordsMax: settings.RECORDS_PER_MESSAGE_MAX * limits.lineRecordsFactor,
      nameCharsMax: limits.nameCharsMax,
      subtopicCharsMax: settings.SUBTOPIC_CHARS_MAX,
    },
    subtopicCharsMax: settings.SUBTOPIC_CHARS_MAX,
    unknownKeysPerMinuteMax: settings.UNKNOWN_KEYS_PER_MINUTE_MAX,
    knownKeysBytesMax: settings.EDGE_KEYS_BYTES_MAX,
    messagesPerThingSecondMax: settings.THING_RATE_LIMIT,
    webhookBytesPerOrgMax: settings.WEBHOOK_BYTES_PER_ORG_MAX,
  };
}

type Settings = Static<typeof IngestSettings>;

/** The ports for MQTT: undefined is off. */
function mqttOf(settings: Settings): MqttPorts {
  const tls = tlsOf(settings);
  return {
    port: portOf(settings.MQTT_PORT),
    tls: tls && { ...tls, port: portOf(settings.MQTT_TLS_PORT) },
  };
}

/** Undefined if no other edge shares the port: then operators use that port. */
function operatorPortOf(settings: Settings): number | undefined {
  const { INGEST_PROCESSES, INGEST_INDEX, INGEST_OPERATOR_PORT } = settings;
  if (INGEST_PROCESSES === 1) return undefined;
  return INGEST_OPERATOR_PORT === 0 ? 0 : INGEST_OPERATOR_PORT + INGEST_INDEX;
}

/** Our own API passes requests on from this machine, and names the client. */
function clientAddressOf({ TRUST_PROXY: proxies }: Settings): ClientAddress {
  const thisMachine = '127.0.0.0/8, ::1';
  const all = proxies.trim() === '' ? thisMachine : `${thisMachine}, ${proxies}`;
  return readClientAddress({ TRUST_PROXY: all });
}

function connectionLimitsOf(settings: Settings, descriptors: number) {
  const { connectionsMin, connectionsMax, descriptorsReserved: reserved } = limits;
  const max = connectionsWithin(descriptors, {
    reserved,
    perConnection: 1,
    connectionsMin,
    connectionsMax,
  });
  const lastingMax = Math.floor(max * limits.lastingPart);
  const perNetworkMax =
    settings.EDGE_CONNECTIONS_PER_NETWORK_MAX ?? Math.floor(max * limits.connectionsPerNetworkPart);
  return {
    connections: { max, perNetworkMax },
    thingConnections: {
      max: lastingMax,
      perNetworkMax,
      perOrgMax:
        settings.EDGE_STREAMS_PER_ORG_MAX ?? Math.floor(lastingMax * limits.lastingPerOrgPart),
      perThingMax: { mqtt: limits.mqttConnectionsPerThingMax, ws: limits.streamsPerThingMax },
    },
  };
}

/** The header must be named: otherwise clients could send the one that the proxy does not write. */
function proxiesOf(settings: Settings): CertificateProxies | undefined {
  const { EDGE_CLIENT_CERT_PROXIES: text, EDGE_CLIENT_CERT_HEADER: header } = settings;
  if (text === undefined) return undefined;
  const networks = parseNetworks(text);
  const wrong: string[] = [];
  if (networks === undefined) {
    wrong.push('EDGE_CLIENT_CERT_PROXIES: must be networks such as 10.0.0.0/8, 192.0.2.1');
  }
  if (header === undefined) {
    const known = certificateHeaders.join(' or ');
    wrong.push(
      `EDGE_CLIENT_CERT_HEADER: is missing: name the header that the proxies write, ${known}`,
    );
  }
  if (networks === undefined || header === undefined) throw new ConfigError(wrong.join('; '));
  return new CertificateProxies(networks, header);
}

function tlsOf(settings: Settings): TlsConfig | undefined {
  const { EDGE_TLS_PORT, EDGE_TLS_CERT, EDGE_TLS_KEY, EDGE_TLS_CLIENT_CA } = settings;
  const given = { EDGE_TLS_CERT, EDGE_TLS_KEY, EDGE_TLS_CLIENT_CA };
  for (const [name, path] of Object.entries(given)) {
    if (path === undefined) continue;
    if (EDGE_TLS_PORT === undefined) throw new ConfigError(`${name}: needs EDGE_TLS_PORT`);
    mustBeReadable(name, path);
  }
  if (EDGE_TLS_PORT === undefined) return undefined;
  if (EDGE_TLS_CERT === undefined || EDGE_TLS_KEY === undefined) {
    throw new ConfigError('EDGE_TLS_PORT: needs EDGE_TLS_CERT and EDGE_TLS_KEY');
  }
  return {
    port: EDGE_TLS_PORT,
    cert: EDGE_TLS_CERT,
    key: EDGE_TLS_KEY,
    clientCa: EDGE_TLS_CLIENT_CA,
  };
}

function mustBeReadable(name: string, path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw new ConfigError(`${name}: ${path} can not be read`);
  }
}

export type IngestConfig = ReturnType<typeof readIngestConfig>;
