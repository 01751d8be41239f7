import { type Sample, anyone, anywhere } from './sample.ts';

export const samplesOfOperations: Readonly<Record<string, Sample>> = {
  viewHealth: { method: 'GET', path: () => '/health', good: 200, orElse: 503, places: anywhere },
  viewMetrics: { method: 'GET', path: () => '/metrics', good: 200, places: anywhere },
  viewDocs: { method: 'GET', path: () => '/docs/json', good: 200, places: anywhere },
  viewHome: { method: 'GET', path: () => '/', good: 200, places: anywhere },
  viewBench: { method: 'GET', path: () => '/bench', good: 200, places: anywhere },
  viewBenchResults: { method: 'GET', path: () => '/bench/results', good: 200, places: anywhere },
  enterConsole: { method: 'GET', path: () => '/console/tokens.css', good: 200, places: anywhere },
  viewSession: {
    method: 'GET',
    path: () => '/console/session',
    good: 200,
    places: anywhere,
    rule: anyone,
  },
  useQueues: {
    method: 'PUT',
    path: () => '/queues/api/queues/mail/resume',
    good: 200,
    places: anywhere,
  },
};
