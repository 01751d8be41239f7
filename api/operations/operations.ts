import { Type } from 'typebox';
import { about } from '../../schemas/http/common.ts';
import { Operations, OperationsQuery } from '../../schemas/operations.ts';
import { operations } from '../http/operation.ts';
import { BenchResults } from './bench-results.ts';

const Check = Type.Object({
  status: about(Type.String(), 'State of this part: `pass`, `warn` or `fail`.', 'pass'),
  output: Type.Optional(about(Type.String(), 'What is wrong with it. Absent: nothing.')),
});
const Health = Type.Object({
  status: about(
    Type.Enum(['pass', 'warn', 'fail']),
    '`pass`: all is well. `warn`: the job is done, and something it stands on is away. `fail`: the job can not be done.',
    'pass',
  ),
  checks: about(Type.Record(Type.String(), Type.Array(Check)), 'State of each part, by its name.', {
    postgres: [{ status: 'pass' }],
  }),
  version: about(Type.String(), 'Version of Millrace.', '0.1.0'),
  commit: about(
    Type.String(),
    'Commit it was built from; `unknown` where nobody told.',
    '5ab1c0de5ab1c0de5ab1c0de5ab1c0de5ab1c0de',
  ),
  description: about(Type.String(), 'What the process is.', 'Millrace API'),
  build_time: about(
    Type.String(),
    'Of when that commit is; `unknown` where nobody told.',
    '2026-11-22T09:00:00+00:00',
  ),
});

const healthIs = { content: { 'application/health+json': { schema: Health } } };
const health = {
  method: 'GET',
  needs: { kind: 'anyone' },
  written: { 200: healthIs, 503: healthIs },
  summary: 'The state of the service and its neighbours',
  watches: true,
} as const;

/** A page's files: its parts have paths of their own under this one. */
const page = {
  method: 'GET',
  needs: { kind: 'anyone' },
  undocumented: true,
  readsByItself: true,
} as const;

export const service = operations('service', {
  viewHealth: { ...health, path: '/health' },
  viewHealth_ready: { ...health, path: '/health/ready' },
  viewHealth_live: { ...health, path: '/health/live', written: { 200: healthIs } },
  /** The platform's clients ask the reader by itself. */
  viewHealth_reader: { ...health, path: '/reader/health' },
  viewMetrics: {
    method: 'GET',
    path: '/metrics',
    needs: { kind: 'anyone' },
    written: {
      200: {
        content: {
          'text/plain': {
            schema: { type: 'string', description: 'Metrics in Prometheus’ text format.' },
            example: '# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1.5\n',
          },
        },
      },
    },
    summary: 'Metrics for Prometheus, for private networks or with `METRICS_TOKEN`',
    errors: ['forbidden'],
    watches: true,
  },
  viewOperations: {
    method: 'GET',
    path: '/operations',
    needs: { kind: 'platformAdmin' },
    query: OperationsQuery,
    answers: { 200: Operations },
    summary: 'How the installation is and was: its processes, figures and quarantine',
    about:
      'Each process reports itself every 15 seconds. A history has 240 intervals of `range`; rows are kept for twice as long, 14 days at most.',
  },
  viewDocs: {
    method: 'GET',
    path: '/docs/json',
    needs: { kind: 'anyone' },
    written: {
      200: about(Type.Object({}, { additionalProperties: true }), 'OpenAPI 3.1.', {
        openapi: '3.1.0',
      }),
    },
    readsByItself: true,
    summary: 'This document',
  },
  viewBench: { ...page, path: '/bench', summary: 'The page of the benchmarks' },
  viewBenchResults: {
    method: 'GET',
    path: '/bench/results',
    needs: { kind: 'anyone' },
    written: { 200: BenchResults },
    summary: 'The figures of every run of the benchmarks',
  },
  /** Where the queues' page was: it leads to that of the console. */
  viewQueuesPage: { ...page, path: '/queues', summary: 'The page of the queues' },
});

export const passing = operations('messages', {
  /** `/http/*` and `/messages/*`, with all methods: the edge decides who may. */
  passToEdge: {
    method: 'POST',
    path: '/http/messages',
    needs: { kind: 'anyone' },
    summary: 'Send messages',
    undocumented: true,
    readsByItself: true,
    passedOn: true,
  },
});
