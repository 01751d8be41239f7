import { harmless } from '../terminal/output/cell.ts';
import type { Section } from '../terminal/output/output.ts';
import { text } from '../input/fields.ts';
import type { Operations } from '../../schemas/client/generated/types.ts';
import type { AddCommands } from '../invocation/command.ts';
import { addQueues } from './queues.ts';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'operations [token]',
    'Show how the installation is: its processes, rates, latency, lag, disks, store and queues',
    async (call) => {
      const operations = await call.ask('viewOperations', { query: call.filters() });
      if (call.output.format === 'table') await call.output.sections(sectionsOf(operations));
      else await call.output.show(operations);
    },
    {
      fields: { range: text('--range <range>', 'and how it was: 1h, 6h, 24h or 7d') },
      examples: ['admin operations', 'admin operations --range 24h'],
    },
  );
  addQueues(group, add);
};

/** The problems come first, then the processes, the figures as they are now, and what is quarantined. */
function sectionsOf(operations: Operations): Section[] {
  const { status, problems, processes, series, quarantine } = operations;
  return [
    {
      title: `Status: ${status}`,
      lines: problems.map((one) =>
        harmless(
          `${one.severity}  ${one.text} ${one.advice} Runbook: ${one.runbook} in infra/guide/operating/runbooks.md.`,
        ),
      ),
    },
    {
      title: 'Processes',
      rows: processes.map((one) => ({
        process: `${one.kind} ${one.name}`,
        state: one.state,
        status: one.status,
        cpu_cores: one.cpu_cores,
        memory_mb: one.memory_bytes === null ? null : Math.round(one.memory_bytes / 1e6),
        started_at: one.started_at,
        version: one.version,
      })),
    },
    {
      title: 'Now',
      rows: series.map(({ figure, of, now }) => ({ figure, of, now })),
    },
    ...(quarantine.length === 0
      ? []
      : [
          {
            title: 'Quarantine',
            rows: quarantine.map(({ at, process, sink, code, reason }) => {
              return { at, process, sink, code, reason };
            }),
          },
        ]),
  ];
}
