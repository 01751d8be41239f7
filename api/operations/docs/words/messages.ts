import { others, type OperationDocs } from './operation.ts';

/** What the documentation says of the operations of messages, and of the service itself. */
export const messages = {
  readMessages: {
    tag: 'messages',
    about:
      'Without `publisher`: of all things of the groups that the caller is in. A thing reads its own. Times come in seconds (SenML) or nanoseconds (JSON); `from` and `to` are nanoseconds or ISO 8601.',
    summary: 'Read messages, newest first, or an aggregate of each interval',
    errors: others,
  },
  searchMessages: {
    tag: 'messages',
    about: 'A list of queries is answered by a list, and one that fails says so in its place.',
    summary: 'Read messages by one query or by many, each answered in its place',
    errors: others,
  },
  exportMessages: {
    tag: 'messages',
    about:
      'Filters apply, pages do not. `convert` or `Accept` names the type: `json` (the default), `csv`, `ndjson`, `parquet`, `arrow` (a file of Arrow IPC) or `arrows` (its stream). It is compressed where `Accept-Encoding` asks for it.',
    summary: 'Messages as a file',
    errors: others,
  },
  followMessages: {
    tag: 'messages',
    about: 'The stream does not end. With `Last-Event-ID` it goes on after that message.',
    summary: 'Messages as they come, as server-sent events; goes on after a `Last-Event-ID`',
    errors: others,
  },
  deleteMessages: {
    tag: 'messages',
    about:
      'All filters apply: what does not match stays. For the platform admin, of all things; for a user, of the things of the groups they administer; for a thing, its own.',
    summary: 'Delete the messages of all things one administers, or one’s own as a thing',
  },
  deleteMessagesOfThing: {
    tag: 'messages',
    about: 'All filters apply: what does not match stays.',
    summary: 'Delete the messages of a thing',
    errors: others,
  },
  backupMessages: { tag: 'messages', summary: 'All messages of both formats as one file' },
  restoreMessages: {
    tag: 'messages',
    about: 'The file is checked whole before anything changes. Restoring it twice adds nothing.',
    summary: 'Add what is missing of a backup, or of a file of the platform’s older kind',
    errors: ['malformed', 'unsupported_type'],
  },
  passToEdge: { tag: 'messages', summary: 'Send messages' },

  viewHome: { tag: 'service', summary: 'Where to go from here' },
  viewHealth: { tag: 'service', summary: 'The state of the service and its neighbours' },
  viewMetrics: {
    tag: 'service',
    summary: 'Metrics for Prometheus, for private networks or with `METRICS_TOKEN`',
    errors: ['forbidden'],
  },
  viewOperations: {
    tag: 'service',
    summary: 'How the installation is and was: its processes, figures and quarantine',
    about:
      'Each process reports itself every 15 seconds. A history has 240 intervals of `range`; rows are kept for twice as long, 14 days at most.',
  },
  viewDocs: { tag: 'service', summary: 'This document' },
  viewBench: { tag: 'service', summary: 'The page of the benchmarks' },
  viewBenchResults: { tag: 'service', summary: 'The figures of every run of the benchmarks' },
  enterConsole: { tag: 'service', summary: 'The files of the console, signing in and out' },
  viewSession: { tag: 'service', summary: 'Who is signed in' },
  useQueues: { tag: 'service', summary: 'The queues’ dashboard' },
} as const satisfies Readonly<Record<string, OperationDocs>>;
