import type { Calls } from '../../infra/runtime/observability/calls.ts';
import {
  type Labelled,
  measureCalls,
  measureConnections,
  measureDisk,
  measureLatency,
  readMetrics,
  type Registry,
} from '../../infra/runtime/observability/metrics.ts';
import type { CommandParts } from '../commands/open.ts';
import type { Doors } from '../doors/doors.ts';
import type { Intake } from '../intake/intake.ts';
import type { Lag } from '../log/commit-times.ts';
import type { Log } from '../log/log.ts';
import type { SinkProgress } from '../sinks/sink.ts';
import type { Sinks } from '../sinks/sinks.ts';

/** The parts that the metrics are read from. */
export type Measured = {
  log: Log;
  intake: Intake;
  doors: Doors;
  sinks: Sinks;
  commands: CommandParts;
  /** Of the edge's own thread. */
  calls: Calls;
};

/** The edge's metrics. They are read when asked for, so that they cost nothing on the hot path. */
export function registerMetrics(registry: Registry, measured: Measured): void {
  const { log, doors, sinks, calls } = measured;
  registerRequestMetrics(registry, measured);
  measureConnections(registry, doors.connections);
  registerStreamMetrics(registry, doors.streams);
  registerMqttMetrics(registry, doors.mqtt);
  registerCommandMetrics(registry, measured.commands);
  registerLogMetrics(registry, log);
  registerSinkMetrics(registry, log, sinks);
  measureCalls(registry, [calls, ...sinks.calls]);
  measureDisk(registry, log.directory);
}

function registerRequestMetrics(
  registry: Registry,
  { intake, doors: { answered } }: Measured,
): void {
  const { stats, devices } = intake;
  const read = readMetrics(registry);
  const counters = (name: string, help: string, label: string, values: () => Labelled) =>
    read.counters({ name: `millrace_${name}_total`, help }, label, values);
  const ack = {
    name: 'millrace_edge_ack_duration_seconds',
    help: 'From the head of a message to its 202',
  };
  measureLatency(registry, ack, answered.acks);
  counters('edge_requests_answered', 'Requests answered, by status', 'status', () => {
    return answered.all();
  });
  const notStored = {
    name: 'millrace_not_stored_messages_total',
    help: 'Messages whose profile says not to store',
  };
  read.counter(notStored, () => stats.notStored);
  counters('refused_messages', 'Messages refused, by reason', 'reason', () => {
    return Object.entries(stats.refused);
  });
  const awaited = {
    name: 'millrace_awaited_things',
    help: 'Things whose next message somebody waits for',
  };
  read.gauge(awaited, () => intake.awaitedThings);
  const made = {
    name: 'millrace_gateway_devices_made_total',
    help: 'Things made for devices that gateways named',
  };
  read.counter(made, () => devices.made);
  counters('gateway_devices_refused', 'Refused for the device of a gateway', 'reason', () => {
    return Object.entries(devices.refused);
  });
}

function registerStreamMetrics(registry: Registry, streams: Doors['streams']): void {
  const read = readMetrics(registry);
  read.gauge({ name: 'millrace_streams', help: 'Open streams of messages' }, () => streams.size);
  const frames = { name: 'millrace_stream_frames_total', help: 'Frames of streams that came' };
  read.counter(frames, () => streams.framesReceived);
  const ack = {
    name: 'millrace_stream_ack_duration_seconds',
    help: 'From a frame of a stream to the commit of its messages',
  };
  measureLatency(registry, ack, streams.acks);
}

function registerMqttMetrics(registry: Registry, mqtt: Doors['mqtt']): void {
  const read = readMetrics(registry);
  const { received } = mqtt.messages;
  const gauge = (name: string, help: string, value: () => number) =>
    read.gauge({ name: `millrace_mqtt_${name}`, help }, value);
  const counter = (name: string, help: string, value: () => number) =>
    read.counter({ name: `millrace_mqtt_${name}_total`, help }, value);
  gauge('connections', 'Open connections of MQTT', () => mqtt.size);
  gauge('sessions', 'Sessions of MQTT, with and without a connection', () => mqtt.sessions.size);
  const connects = { name: 'millrace_mqtt_connects_total', help: 'CONNECTs, by reason code' };
  read.counters(connects, 'reason', () => mqtt.connecting.counts());
  const messages = { name: 'millrace_mqtt_messages_total', help: 'Messages taken, by QoS' };
  read.counters(messages, 'qos', () => [
    ['0', received.qos0],
    ['1', received.qos1],
    ['2', received.qos2],
  ]);
  counter('retained_messages', 'Of them, those that were to be retained', () => received.retained);
  counter('repeated_messages', 'Messages that were marked as sent again', () => received.again);
  counter('untold_refusals', 'Refused messages of which the client is not told', () => {
    return received.untold;
  });
  const wills = { name: 'millrace_mqtt_wills_total', help: 'Wills, by what became of them' };
  read.counters(wills, 'outcome', () => Object.entries(mqtt.wills.counts));
  const ack = {
    name: 'millrace_mqtt_ack_duration_seconds',
    help: 'From a message of MQTT to its commit',
  };
  measureLatency(registry, ack, mqtt.acks);
}

function registerCommandMetrics(registry: Registry, { commands, maker }: CommandParts): void {
  const read = readMetrics(registry);
  const counter = (name: string, help: string, value: () => number) =>
    read.counter({ name: `millrace_commands_${name}_total`, help }, value);
  counter('queued', 'Commands that wait, or waited, for their things', () => maker.queued);
  counter('delivered', 'Commands that were sent to things, repeats included', () => {
    return commands.stats.delivered;
  });
  counter('acknowledged', 'Commands that things acknowledged', () => {
    return commands.stats.acknowledged + maker.acknowledged;
  });
  const listening = { name: 'millrace_commands_listening', help: 'Things that listen to commands' };
  read.gauge(listening, () => commands.size);
  const wait = {
    name: 'millrace_commands_wait_seconds',
    help: 'From the sending of a command to the first time that its thing was sent it',
  };
  measureLatency(registry, wait, commands.waits);
}

function registerLogMetrics(registry: Registry, log: Log): void {
  const read = readMetrics(registry);
  const counter = (name: string, help: string, value: () => number) =>
    read.counter({ name: `millrace_${name}_total`, help }, value);
  const gauge = (name: string, help: string, value: () => number) =>
    read.gauge({ name: `millrace_${name}`, help }, value);

  counter('acknowledged_messages', 'Messages on the disk', () => log.stats().committedMessages);
  counter('acknowledged_records', 'Records on the disk', () => log.stats().committedRecords);
  counter('log_commits', 'Writes to the log', () => log.stats().commits);
  counter(
    'log_commit_seconds',
    'Time that writes to the log took',
    () => log.stats().commitSeconds,
  );
  counter('log_failed_writes', 'Writes that failed', () => log.stats().failedWrites);
  counter('log_lost_frames', 'Acknowledged frames that could not be read back', () => {
    return log.positions.lostFrames();
  });
  gauge('log_bytes', 'Bytes the log holds', () => log.stats().bytes);
  gauge('log_max_bytes', 'Bytes the log may hold', () => log.stats().bytesMax);
  gauge('log_disk_short', '1 while too little of the disk is free for more of the log', () => {
    return Number(log.stats().diskIsShort);
  });
}

/** A sink has no values until its thread has reported for the first time. */
function registerSinkMetrics(registry: Registry, log: Log, sinks: Sinks): void {
  const read = readMetrics(registry);
  const label = 'sink';

  const perSink = (name: string, help: string, value: (lag: Lag) => number) =>
    read.gauges({ name: `millrace_sink_${name}`, help }, label, () =>
      sinks.progress().map(([sink, { position }]) => {
        const end = log.positions.committed();
        const lag = log.commitTimes.lagOf(position, end, performance.now());
        return [sink, value(lag) / 1_000];
      }),
    );

  const pending = {
    name: 'millrace_sink_pending_bytes',
    help: 'Bytes of the log that the sink has not delivered',
  };
  read.gauges(pending, label, () =>
    sinks.progress().map(([sink, { pendingBytes }]) => [sink, pendingBytes]),
  );
  const halted = {
    name: 'millrace_sink_halted',
    help: '1 while the sink fails for a reason that is not known',
  };
  read.gauges(halted, label, () =>
    sinks.progress().map(([sink, { state }]) => [sink, state === 'halted' ? 1 : 0]),
  );
  perSink(
    'lag_seconds',
    'Time from the commit of what the sink delivers next to the newest commit',
    (lag) => {
      return lag.lagMs;
    },
  );
  perSink(
    'oldest_unsent_seconds',
    'Age of the oldest record that the sink has not delivered',
    (lag) => {
      return lag.ageMs;
    },
  );
  registerSinkCounters(registry, sinks);
  for (const sink of sinks.all) sink.registerMetrics(registry);
}

function registerSinkCounters(registry: Registry, sinks: Sinks): void {
  const read = readMetrics(registry);
  const counter = (name: string, help: string, value: (progress: SinkProgress) => number) =>
    read.counters({ name: `millrace_sink_${name}_total`, help }, 'sink', () =>
      sinks.progress().map(([sink, progress]) => [sink, value(progress)]),
    );
  counter('batches', 'Batches that were delivered', ({ batches }) => batches);
  counter('records', 'Records in them', ({ records }) => records);
  counter('retries', 'Batches tried again', ({ retries }) => retries);
  counter('quarantined_messages', 'Messages that were refused for good', (progress) => {
    return progress.quarantinedFrames;
  });
  counter('quarantined_records', 'Records in them', (progress) => progress.quarantinedRecords);
  counter(
    'skipped_bytes',
    'Bytes of the log that a sink which may lag did not deliver',
    (progress) => {
      return progress.skippedBytes;
    },
  );
}
