import { readMetrics } from '../../../infra/runtime/observability/metrics.ts';
import type { IngestConfig } from '../../config.ts';
import { limits } from '../../limits.ts';
import type { Sink, SinkThreadData } from '../sink.ts';
import { startSinkThread } from '../thread.ts';
import type { AlarmReport, AlarmThreadData } from './worker.ts';

/** Holds messages against the rules of their things, and brings alarms to Postgres. */
export const alarmsSink: Sink = {
  deletionsWait: false,

  health: {
    name: 'alarms',
    check(progress) {
      const [alarms] = progress ?? [];
      if (alarms === undefined || alarms.state === 'running') return { status: 'pass' };
      const output =
        alarms.state === 'halted'
          ? 'alarms fail for a reason that is not known: see the log'
          : 'Postgres does not take alarms';
      return { status: 'warn', output };
    },
  },

  start(thread, config, logger) {
    const module = new URL('./worker.ts', import.meta.url);
    const data = { ...thread, ...settingsOf(config) };
    const { latest, stop } = startSinkThread<AlarmReport>('alarm', module, data, logger);
    return {
      stop,
      progress() {
        const alarm = latest();
        return alarm === undefined ? undefined : { alarm };
      },
      registerMetrics(registry) {
        const read = readMetrics(registry);
        const ofReport = (value: (report: AlarmReport) => number) => () => {
          const report = latest();
          return report === undefined ? 0 : value(report);
        };
        const counter = (name: string, help: string, value: (report: AlarmReport) => number) =>
          read.counter({ name: `millrace_alarm_sink_${name}_total`, help }, ofReport(value));
        const gauge = (name: string, help: string, value: (report: AlarmReport) => number) =>
          read.gauge({ name: `millrace_alarm_sink_${name}`, help }, ofReport(value));
        counter('evaluated', 'Values that were held against a rule', (report) => report.evaluated);
        counter(
          'skipped',
          'Values that were not held against a rule, as their org has had as many as it may',
          (report) => report.skipped,
        );
        counter('fired', 'Alarms that fired', (report) => report.fired);
        counter('ended', 'Alarms that ended', (report) => report.ended);
        counter(
          'late',
          'Values older than the newest of their series, or than an hour: they only correct history',
          (report) => report.late,
        );
        counter(
          'future',
          'Values more than five minutes in the future: they are not looked at',
          (report) => report.future,
        );
        counter(
          'throttled',
          'Values that might have moved a thing, but whose org has had as many transitions as it may',
          (report) => report.throttled,
        );
        gauge('ok', 'Things that are ok under a rule', (report) => report.ok);
        gauge('not_ok', 'Things that are not ok under a rule', (report) => report.notOk);
        gauge('ok_bytes', 'Bytes that the former take', (report) => report.okBytes);
      },
    };
  },
};

function settingsOf({
  databaseUrl,
  log,
}: IngestConfig): Omit<AlarmThreadData, keyof SinkThreadData> {
  const { snapshotLogPart, ...settings } = limits.alarms;
  const segmentsMax = Math.floor((log.logBytesMax * snapshotLogPart) / limits.segmentBytes);
  return { databaseUrl, snapshotSegmentsMax: Math.max(1, segmentsMax), ...settings };
}
