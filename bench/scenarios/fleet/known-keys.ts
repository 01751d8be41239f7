/**
 * What an edge remembers of the keys that it serves, without the network: fills the table of an edge as things publish
 * in random order, then counts how many messages find their key in it.
 *
 * Arguments: how many things the edge serves, how many messages it counts. Prints one line of JSON.
 */
import { Credential } from '../../../ingest/auth/credential.ts';
import { OrgMeters } from '../../../ingest/rates/org-meters.ts';
import { KnownThing, KnownThings } from '../../../ingest/auth/known/known-things.ts';
import { limits } from '../../../ingest/limits.ts';
import type { CachedThing } from '../../../schemas/internal/thing-cache.ts';
import { seededRandom } from '../../harness/requests.ts';

const [things = 0, messages = 0] = process.argv.slice(2).map(Number);
/** As a fleet has them: a group of a thousand, each with a profile of its own. */
const thingsPerGroup = 1_000;
const config = { content_type: 'application/senml+json' };

const hexOf = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
/** Mixes the bits of a number, so that texts made of it look random (the finalizer of MurmurHash3). */
function mixed(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
const textOf = (at: number) => `${hexOf(mixed(at), 8)}${hexOf(at, 8)}`;

const credentialOf = (at: number): Credential => {
  const text = textOf(at);
  const key = `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(12, 15)}-8${text.slice(0, 3)}-${text.slice(0, 12)}`;
  return new Credential('internal', key);
};

function thingOf(at: number): CachedThing {
  const text = textOf(at);
  const group = textOf(Math.floor(at / thingsPerGroup));
  return {
    id: `${text.slice(0, 8)}-${text.slice(8, 12)}-4000-8000-${text.slice(0, 12)}`,
    places: [`a${group}`, `b${group}`, 'c'],
    config,
    hasWebhooks: false,
    hasRules: false,
    isGateway: false,
  };
}

function residentBytes(): number {
  gc?.();
  return process.memoryUsage.rss();
}

const bytesBefore = residentBytes();
const known = new KnownThings(limits.knownKeysMax, Number.MAX_SAFE_INTEGER, new OrgMeters());
for (let at = 0; at < Math.min(things, limits.knownKeysMax); at++) {
  known.set(credentialOf(at), `${textOf(at)}${textOf(at)}`, thingOf(at));
}
const bytesOfThings = residentBytes() - bytesBefore;

const random = seededRandom(1);
const into = new KnownThing();
let found = 0;
for (let message = 0; message < messages; message++) {
  const at = Math.floor(random() * things);
  if (known.read(credentialOf(at), into)) found += 1;
  // Found in Redis, and remembered from now on.
  else known.set(credentialOf(at), `${textOf(at)}${textOf(at)}`, thingOf(at));
}
process.stdout.write(
  `${JSON.stringify({ remembered: known.size, bytesOfThings, foundShare: found / messages })}\n`,
);
