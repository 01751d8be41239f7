import type { Failure } from '../../infra/runtime/network/failure.ts';
import type { SinkState } from './sink.ts';

/** The state of a sink after a failure. */
export const stateAfter = ({ decision }: Failure): SinkState =>
  decision === 'halt' ? 'halted' : 'retrying';
