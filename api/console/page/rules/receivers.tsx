import { useState } from 'preact/hooks';
import { AlarmTabs } from '../alarms/tabs.tsx';
import { call, type Receivers } from '../client/call.ts';
import { session, userIn } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { PlaceChoice } from '../place/choice.tsx';
import { type ListPlace, onlyPlace, usePlaces } from '../place/places.ts';
import { useMay } from '../roles.ts';
import { receiversTexts } from '../texts/receivers.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/form.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Empty, Loaded, Notice } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';
import { problemOfReceivers, receiversOf } from './draft.ts';
import { type Hearing, HearingFields } from './hearing.tsx';

const words = receiversTexts;

/** Who is told of alarms of a group, or of an org that one owns, where a rule names nobody. */
export default function ReceiversPage() {
  const places = usePlaces(userIn(session.value), 'owned');
  const chosen = onlyPlace(places.value);
  return (
    <>
      <PageHead title={words.title} />
      <AlarmTabs current="receivers" />
      <Loaded reading={places}>
        {(all) =>
          chosen === undefined ? (
            <PlaceChoice places={all}>
              <Empty title={words.noPlace} text={words.noPlaceText} />
            </PlaceChoice>
          ) : (
            <OfPlace key={chosen.id} place={chosen} />
          )
        }
      </Loaded>
    </>
  );
}

function OfPlace({ place }: { place: ListPlace }) {
  const { of, id } = place;
  const may = useMay(place);
  const view = of === 'org' ? 'viewOrgReceivers' : 'viewGroupReceivers';
  const isFor = may(view);
  const reading = useRead(isFor ? id : undefined, (signal) => call(view, { path: { id } }, signal));
  if (!isFor) return <Empty title={words.noPlace} text={words.noPlaceText} />;
  return (
    <Loaded reading={reading}>
      {({ receivers }) => <Fields place={place} receivers={receivers} />}
    </Loaded>
  );
}

function hearingOf(receivers: Receivers | undefined): Hearing {
  const { webhook_ids: webhookIds = [], mails = [] } = receivers ?? {};
  const isNobody = webhookIds.length + mails.length === 0;
  const hears = receivers === undefined ? 'default' : isNobody ? 'nobody' : 'own';
  return { hears, webhookIds, mails: mails.join('\n') };
}

function Fields({ place, receivers }: { place: ListPlace; receivers: Receivers | undefined }) {
  const { of, id } = place;
  const [hearing, setHearing] = useState(() => hearingOf(receivers));
  const [isTried, setTried] = useState(false);
  const { failure, isBusy, run } = useAction();
  const save = async () => {
    const body = { receivers: receiversOf(hearing) };
    await call(of === 'org' ? 'setOrgReceivers' : 'setGroupReceivers', { path: { id }, body });
    say(words.saved);
  };
  return (
    <Panel title={words.of}>
      <form
        class="form narrow-form"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (problemOfReceivers(hearing) === undefined) void run(save);
        }}
      >
        <p class="muted small">{words.text[of]}</p>
        <HearingFields
          place={place}
          hearing={hearing}
          named={words.hearings[of]}
          problem={isTried ? problemOfReceivers(hearing) : undefined}
          isFixed={false}
          onChange={(change) => setHearing((before) => ({ ...before, ...change }))}
        />
        <Notice failure={failure} />
        <div class="row">
          <Button kind="primary" submits disabled={isBusy}>
            {partsTexts.save}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
