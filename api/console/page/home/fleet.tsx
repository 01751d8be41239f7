import { call } from '../client/call.ts';
import { useLive } from '../client/use-live.ts';
import type { RolePlace } from '../roles.ts';
import { linkTo } from '../router.ts';
import { activeMs, silentMs } from '../things/state.ts';
import { homeTexts } from '../texts/home.ts';
import { shortNumberWriter } from '../ui/number.ts';
import { Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';

const words = homeTexts;
const short = shortNumberWriter(4);

/** More are not counted one by one. */
const countedMax = 100_000;

export type ThingCount = { count: number; isLeast: boolean };

type Asked = Readonly<Record<string, string | boolean>>;

/** How many things of a place fit filters of the list. Without a place: of all that one sees. */
export async function countThings(
  place: RolePlace | undefined,
  asked: Asked,
  signal: AbortSignal,
): Promise<ThingCount> {
  const query = { ...asked, limit: 1, total_max: countedMax };
  const { total, total_is_least: isLeast = false } = await listIn(place, query, signal);
  return { count: total, isLeast };
}

function listIn(place: RolePlace | undefined, query: object, signal: AbortSignal) {
  if (place === undefined) return call('listThings', { query }, signal);
  const request = { path: { id: place.id }, query };
  if (place.of === 'org') return call('listOrgThings', request, signal);
  return call('listGroupThings', request, signal);
}

const states = ['active', 'quiet', 'silent', 'never'] as const;

/** Each state, as the list of things is asked for it. */
function filtersOf(now: number): Readonly<Record<(typeof states)[number], Asked>> {
  const since = (ms: number) => new Date(now - ms).toISOString();
  return {
    active: { seen_since: since(activeMs) },
    quiet: { seen_since: since(silentMs), silent_since: since(activeMs) },
    silent: { silent_since: since(silentMs), heard: true },
    never: { heard: false },
  };
}

/** How many things are in which state: each number leads to them. */
export function Fleet({ place, placeKey }: { place: RolePlace | undefined; placeKey: string }) {
  const reading = useLive(placeKey, async (signal) => {
    const all = filtersOf(Date.now());
    return Promise.all(states.map((state) => countThings(place, all[state], signal)));
  });
  return (
    <Panel title={words.fleet}>
      <Loaded reading={reading}>
        {(counts) => (
          <ul class="fleet">
            {states.map((state, at) => (
              <li key={state} data-state={state}>
                <a href={linkTo('/things', { state })}>
                  <b>{shown(counts[at])}</b>
                  <span>{words.states[state]}</span>
                  <span class="small muted">{words.statesMean[state]}</span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

function shown(counted: ThingCount | undefined): string {
  const { count = 0, isLeast = false } = counted ?? {};
  return isLeast ? words.atLeast(short(count)) : short(count);
}
