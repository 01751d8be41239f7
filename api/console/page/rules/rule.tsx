import { useRef, useState } from 'preact/hooks';
import type { Movable } from '../explore/compared.ts';
import { call, type Rule, type Thing } from '../client/call.ts';
import type { Failure } from '../client/failure.ts';
import { session, userIn } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { groupsIn, placeAmong, usePlaces } from '../place/places.ts';
import { type Offer, readOffers } from '../explore/offers.ts';
import { useMay } from '../roles.ts';
import { address, goTo, linkTo, type PageProps } from '../router.ts';
import { rulesTexts } from '../texts/rules.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { useAction } from '../ui/form.tsx';
import { Field } from '../ui/field.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Empty, Loaded, Notice } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';
import { Actions } from './actions.tsx';
import {
  type Draft,
  draftOf,
  emptyDraft,
  problemIn,
  type Problems,
  problemsOf,
  ruleOf,
} from './draft.ts';
import { RuleFields } from './form.tsx';
import { Preview } from './preview.tsx';

const words = rulesTexts;

/** A rule that is there, or under `new` one that is made for the group in the address. */
export default function RulePage({ parameters: { id = '' } }: PageProps) {
  const { group = '' } = address.value.query;
  const reading = useRead(id === 'new' ? undefined : id, (signal) =>
    call('viewRule', { path: { id } }, signal),
  );
  if (id === 'new') {
    return group === '' ? (
      <WhichGroup />
    ) : (
      <Editor groupId={group} rule={undefined} again={() => undefined} />
    );
  }
  return (
    <Loaded reading={reading} isPage>
      {(rule) => <Editor groupId={rule.group_id} rule={rule} again={reading.again} />}
    </Loaded>
  );
}

/** A rule is made in a group: where the address has none, one is chosen first. */
function WhichGroup() {
  const reading = usePlaces(userIn(session.value), 'all');
  return (
    <>
      <PageHead title={words.make} />
      <Loaded reading={reading}>
        {(places) => {
          const groups = groupsIn(places, placeAmong(places));
          const [only, ...others] = groups;
          if (only !== undefined && others.length === 0) {
            return <Editor groupId={only.id} rule={undefined} again={() => undefined} />;
          }
          return groups.length === 0 ? (
            <Empty title={words.noGroup}>
              <ButtonLink href={linkTo('/rules')}>{words.title}</ButtonLink>
            </Empty>
          ) : (
            <Panel>
              <Field label={words.group} hint={words.groupHint}>
                <select
                  class="input"
                  onChange={(event) => goTo('/rules/new', { group: event.currentTarget.value })}
                >
                  <option value="">{words.choose}</option>
                  {groups.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              </Field>
            </Panel>
          );
        }}
      </Loaded>
    </>
  );
}

const thingsMax = 100;
/** Of so many things that were heard last, names of series are offered. */
const offeringMax = 4;

/** The things of the group, those that were heard last first. */
function useThings(groupId: string) {
  const { value } = useRead(groupId, (signal) =>
    call(
      'listGroupThings',
      { path: { id: groupId }, query: { limit: thingsMax, order: 'last_seen', dir: 'desc' } },
      signal,
    ),
  );
  return value?.things;
}

/** The thing that a rule is tried on: the one that is chosen, or else the first. */
function useTrial(groupId: string, { scope, thingIds }: Draft) {
  const things = useThings(groupId);
  const [chosen, setChosen] = useState('');
  const first = scope === 'things' ? thingIds[0] : things?.[0]?.id;
  return { things, thingId: chosen === '' ? (first ?? '') : chosen, setChosen };
}

/** The series of a thing, and of those that were heard last, each once. */
function useOffers(thingId: string, things: readonly Thing[]): readonly Offer[] {
  const heard = things.slice(0, offeringMax).map(({ id }) => id);
  const ids = [...new Set([thingId, ...heard])].filter((id) => id !== '');
  const { value } = useRead(ids.length === 0 ? undefined : ids.join(), async (signal) => {
    const lists = await Promise.all(ids.map((id) => readOffers(id, signal)));
    const byName = new Map(
      lists.flat().map((offer) => [`${offer.format} ${offer.name}`, offer] as const),
    );
    return [...byName.values()].toSorted((one, other) => one.name.localeCompare(other.name));
  });
  return value ?? [];
}

/** A draft with another number in a condition. */
const moved =
  (at: number, what: Movable, value: number) =>
  (draft: Draft): Draft => ({
    ...draft,
    conditions: draft.conditions.map((one, other) =>
      other === at ? { ...one, [what]: String(value) } : one,
    ),
  });

type EditorProps = { groupId: string; rule: Rule | undefined; again: () => void };

function Editor({ groupId, rule, again }: EditorProps) {
  const may = useMay({ of: 'group', id: groupId });
  const isFixed = !may(rule === undefined ? 'createRule' : 'updateRule');
  const [draft, setDraft] = useState<Draft>(() =>
    rule === undefined ? emptyDraft() : draftOf(rule),
  );
  const { things, thingId, setChosen } = useTrial(groupId, draft);
  const offers = useOffers(thingId, things ?? []);
  const { problems, failure, isBusy, save, form } = useSaving(groupId, rule, draft, again);
  const trail = { text: words.title, href: linkTo('/rules') };
  return (
    <>
      <PageHead title={rule?.name ?? words.make} trail={[trail]}>
        {rule !== undefined && <Actions rule={rule} may={may} again={again} />}
      </PageHead>
      <form
        class="rule"
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div class="stack">
          <RuleFields
            groupId={groupId}
            draft={draft}
            problems={problems}
            offers={offers}
            isFixed={isFixed}
            onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
          />
          <Refusal problems={problems} failure={failure} />
          {!isFixed && (
            <div class="row">
              <Button kind="primary" submits disabled={isBusy}>
                {rule === undefined ? words.make : words.save}
              </Button>
            </div>
          )}
        </div>
        <div class="beside">
          <Preview
            groupId={groupId}
            draft={draft}
            things={things}
            thingId={thingId}
            onThing={setChosen}
            {...(!isFixed && { onMove: (...to) => setDraft(moved(...to)) })}
          />
        </div>
      </form>
    </>
  );
}

/** Says that something is wrong at the fields, or with the whole. */
function Refusal({ problems, failure }: { problems: Problems; failure: Failure | undefined }) {
  if (Object.keys(problems).length === 0) return <Notice failure={failure} />;
  return (
    <p class="notice" role="alert">
      {words.wrong.some}
    </p>
  );
}

/** Saves a draft. Problems show from the first try on, and leave as they are mended. */
function useSaving(groupId: string, rule: Rule | undefined, draft: Draft, again: () => void) {
  const form = useRef<HTMLFormElement>(null);
  const [isTried, setTried] = useState(false);
  const [refused, setRefused] = useState<{ draft: Draft; message: string }>();
  const { failure, isBusy, run } = useAction();
  const own = isTried ? problemsOf(draft) : {};
  const told = refused?.draft === draft ? problemIn(refused.message) : {};
  const problems = { ...told, ...own };
  const lead = () =>
    requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
    );
  const send = async () => {
    const body = ruleOf(draft);
    try {
      if (rule === undefined) {
        const made = await call('createRule', { path: { id: groupId }, body });
        say(words.made);
        goTo(`/rules/${made.id}`);
      } else {
        await call('updateRule', { path: { id: rule.id }, body });
        say(words.saved);
        again();
      }
    } catch (error) {
      if (error instanceof Error) setRefused({ draft, message: error.message });
      throw error;
    }
  };
  const save = async () => {
    setTried(true);
    if (Object.keys(problemsOf(draft)).length > 0) lead();
    else if (!(await run(send))) lead();
  };
  const isAtField = Object.keys(told).length > 0;
  return { form, problems, failure: isAtField ? undefined : failure, isBusy, save };
}
