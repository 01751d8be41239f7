import { expect, it } from 'vitest';
import type { Operations } from '../../client/call.ts';
import { problemsOf } from './attention.ts';

type Process = Operations['processes'][number];

const process = (kind: Process['kind'], other: Partial<Process> = {}): Process => ({
  id: kind,
  kind,
  name: 'mill-1:1',
  version: '',
  state: 'running',
  status: 'pass',
  checks: [{ part: 'postgres', status: 'pass' }],
  started_at: '',
  seen_at: '',
  cpu_cores: null,
  memory_bytes: null,
  ...other,
});

const titlesOf = (...processes: Process[]) =>
  problemsOf({ at: '', series: [], processes, quarantine: [] }).map(({ title }) => title);

it('finds nothing where every process reports that all is well', () => {
  expect(titlesOf(process('edge'), process('api'), process('workers'))).toEqual([]);
});

it('names what is missing, silent or not well, the worst first', () => {
  const store: Process['checks'] = [{ part: 'clickhouse', status: 'warn', output: 'away' }];
  expect(
    titlesOf(
      process('edge', { checks: store }),
      process('edge', { state: 'silent', name: 'mill-2:1' }),
      process('workers', { state: 'stopped' }),
      process('api', { checks: [{ part: 'postgres', status: 'fail', output: 'away' }] }),
    ),
  ).toEqual([
    'Workers: none has reported.',
    'Edge mill-2:1 is silent.',
    'API mill-1:1, postgres:',
    'Edge mill-1:1, clickhouse:',
  ]);
});
