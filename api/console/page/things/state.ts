import { activeMs, silentMs } from '../../../../schemas/fleet-states.ts';
import type { Tone } from '../ui/page.tsx';

export type ThingState = 'active' | 'quiet' | 'silent' | 'new';

export const tones: Readonly<Record<ThingState, Tone>> = {
  active: 'good',
  quiet: 'plain',
  silent: 'warn',
  new: 'accent',
};

/** The state of a thing by the time of its last message. */
export function stateOf(lastSeen: string | null, now: number): ThingState {
  if (lastSeen === null) return 'new';
  const age = now - Date.parse(lastSeen);
  if (age <= activeMs) return 'active';
  return age <= silentMs ? 'quiet' : 'silent';
}
