import type { ComponentChildren } from 'preact';
import { session, type User, userIn } from '../client/session.ts';
import { useLive } from '../client/use-live.ts';
import { type ListPlace, placeAmong, usePlaces } from '../place/places.ts';
import type { RolePlace } from '../roles.ts';
import { homeTexts } from '../texts/home.ts';
import { PageHead } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { Changes } from './changes.tsx';
import { Fleet } from './fleet.tsx';
import { type Overview, readGlance, readOverview } from './overview.ts';
import { progressOf } from '../progress.ts';
import { WrongNow } from './wrong-list.tsx';

const words = homeTexts;

/** The fleet at a glance, in the org or group in which one works: how it is, what is wrong, what changed. */
export default function Home() {
  const user = userIn(session.value);
  const places = usePlaces(user, 'all');
  return (
    <>
      <PageHead title={words.title} />
      <Loaded reading={places}>
        {(all) => user !== undefined && <Glance user={user} places={all} />}
      </Loaded>
    </>
  );
}

function Glance({ user, places }: { user: User; places: readonly ListPlace[] }) {
  const place = placeAmong(places);
  const orgs = places.filter(({ of }) => of === 'org');
  const worksIn = orgs.filter(({ id }) => place === undefined || id === place.orgId);
  const key = `${place?.id ?? ''} ${places.map(({ id }) => id).join()}`;
  return (
    <Now key={key} user={user} place={place} placeKey={key} isMember={places.length > 0}>
      <Changes user={user} orgs={worksIn} />
    </Now>
  );
}

/** How things are in a place, what is wrong there, and what one may begin with. */
async function readAll(user: User, place: RolePlace | undefined, signal: AbortSignal) {
  const glance = await readGlance(user, place, signal);
  return { ...glance, beginning: await readFirst(user, place, glance.overview, signal) };
}

/** Reads what one may begin with. Its script is loaded for who is new alone. */
async function readFirst(
  user: User,
  place: RolePlace | undefined,
  here: Overview,
  signal: AbortSignal,
) {
  const progress = progressOf(user.id);
  // Whoever has things that send knows the way, but for who began it here. An overview takes long where there are many.
  if (progress !== 'begun' && haveSent(here)) return undefined;
  const all = place === undefined ? here : await readOverview(undefined, signal);
  if (progress !== 'begun' && haveSent(all)) return undefined;
  const { FirstSteps, readBeginning } = await import('./first-steps.tsx');
  const read = await readBeginning(user, all.things, progress, signal);
  return read && { FirstSteps, read };
}

const haveSent = ({ things: { total, never } }: Overview): boolean => total > never;

/** How things are in a place, what is wrong there and what one may begin with, of one moment and read anew as time goes by. */
function Now(props: {
  user: User;
  place: RolePlace | undefined;
  placeKey: string;
  isMember: boolean;
  children: ComponentChildren;
}) {
  const { user, place, placeKey, isMember, children } = props;
  const reading = useLive(placeKey, (signal) => readAll(user, place, signal));
  return (
    <div class="home">
      {(reading.value?.beginning !== undefined || !isMember) && (
        <Loaded reading={reading}>
          {({ beginning }) =>
            beginning !== undefined && (
              <beginning.FirstSteps beginning={beginning.read} again={reading.again} />
            )
          }
        </Loaded>
      )}
      {isMember && (
        <>
          <Loaded reading={reading}>{({ overview }) => <Fleet things={overview.things} />}</Loaded>
          <div class="halves">
            <Loaded reading={reading}>{(glance) => <WrongNow glance={glance} />}</Loaded>
            {children}
          </div>
        </>
      )}
    </div>
  );
}
