import type { Attack } from './attacker.ts';
import { burst } from './attacks/burst.ts';
import { century } from './attacks/century.ts';
import { firingRules, longMessages } from './attacks/firing.ts';
import { keyGuesses } from './attacks/guesses.ts';
import { influxQl } from './attacks/influxql.ts';
import { jsonMillion } from './attacks/json-million.ts';
import { largeLists } from './attacks/lists.ts';
import { logins } from './attacks/logins.ts';
import { profilesAtLimits } from './attacks/profiles.ts';
import { searches } from './attacks/searches.ts';
import { stalledExports, stalledPages } from './attacks/stalled.ts';
import { liveStreams } from './attacks/streams.ts';
import { unknownHosts } from './attacks/unknown-hosts.ts';

/** What one tenant, or a stranger, does while another one works. */
export const attacks: readonly Attack[] = [
  jsonMillion,
  logins,
  burst,
  keyGuesses,
  liveStreams,
  stalledExports,
  stalledPages,
  searches,
  largeLists,
  profilesAtLimits,
  century,
  influxQl,
  firingRules,
  longMessages,
  unknownHosts,
];
