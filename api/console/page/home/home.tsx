import type { ComponentChildren } from 'preact';
import { session, type User, userIn } from '../client/session.ts';
import { useLive } from '../client/use-live.ts';
import { useRead } from '../client/use-read.ts';
import { type ListPlace, placeAmong, usePlaces } from '../place/places.ts';
import { NoThings, useStanding } from '../things/no-things.tsx';
import type { RolePlace } from '../roles.ts';
import { homeTexts } from '../texts/home.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { Changes } from './changes.tsx';
import { Fleet } from './fleet.tsx';
import { readGlance } from './overview.ts';
import { readSteps, type Steps } from './steps.ts';
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
  const known = places.map(({ id }) => id).join();
  const { value: steps } = useRead(known, (signal) => readSteps(places, signal));
  const orgs = places.filter(({ of }) => of === 'org');
  // Of several orgs, the changes of one would pass for those of all.
  const ofOrg = place?.orgId ?? (orgs.length === 1 ? orgs[0]?.id : undefined);
  const key = `${place?.id ?? ''} ${known}`;
  return (
    <div class="home">
      {steps !== undefined && <FirstSteps steps={steps} />}
      {places.length > 0 && (
        <Now key={key} user={user} place={place} placeKey={key}>
          {ofOrg !== undefined && <Changes key={ofOrg} org={ofOrg} />}
        </Now>
      )}
    </div>
  );
}

/** How things are in a place and what is wrong there, of one moment and read anew as time goes by. */
function Now(props: {
  user: User;
  place: RolePlace | undefined;
  placeKey: string;
  children: ComponentChildren;
}) {
  const { user, place, placeKey, children } = props;
  const reading = useLive(placeKey, (signal) => readGlance(user, place, signal));
  return (
    <>
      <Loaded reading={reading}>{({ overview }) => <Fleet things={overview.things} />}</Loaded>
      <div class="halves">
        <Loaded reading={reading}>{(glance) => <WrongNow glance={glance} />}</Loaded>
        {children}
      </div>
    </>
  );
}

/** Leads who is new to a first message. A member who may make nothing is told whom to ask. */
function FirstSteps({ steps }: { steps: Steps }) {
  const standing = useStanding(true);
  const isMember = steps.some(({ step, isDone }) => step === 'org' && isDone);
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <Loaded reading={standing}>
      {(known) =>
        isMember && !known.mayMake ? (
          <Panel>
            <NoThings standing={known} />
          </Panel>
        ) : (
          <Panel title={words.steps} flush>
            <ol class="steps">
              {steps.map(({ step, isDone, href }) => (
                <li
                  key={step}
                  data-done={isDone}
                  aria-current={next?.step === step ? 'step' : undefined}
                >
                  <Icon name={isDone ? 'check' : 'right'} />
                  <span class="told">
                    <b>{words.step[step]}</b>
                    <span class="small muted">{words.step[`${step}Text`]}</span>
                  </span>
                  {next?.step === step && (
                    <ButtonLink kind="primary" href={href}>
                      {words.step[step]}
                    </ButtonLink>
                  )}
                </li>
              ))}
            </ol>
          </Panel>
        )
      }
    </Loaded>
  );
}
