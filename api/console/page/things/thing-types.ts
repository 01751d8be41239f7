import type { Thing } from '../client/call.ts';

/** The types of things, those first that are made most. */
export const thingTypes = [
  'sensor',
  'actuator',
  'device',
  'controller',
  'gateway',
] as const satisfies readonly Thing['type'][];
