import type { ComponentChildren } from 'preact';
import { Severity } from '../alarms/severity.tsx';
import { useLive } from '../client/use-live.ts';
import type { User } from '../client/session.ts';
import type { ListPlace } from '../place/places.ts';
import type { RolePlace } from '../roles.ts';
import { linkTo } from '../router.ts';
import { homeTexts } from '../texts/home.ts';
import { Badge, Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { WebhookState } from '../webhooks/state.tsx';
import { Ago } from '../ui/time.tsx';
import { readWrong, type Wrong } from './wrong.ts';

const words = homeTexts;

/** All that is wrong now, the worst first, each with the way to where it is mended. */
export function WrongNow(props: {
  user: User;
  place: RolePlace | undefined;
  placeKey: string;
  places: readonly ListPlace[];
}) {
  const { user, place, placeKey, places } = props;
  const reading = useLive(placeKey, (signal) => readWrong(user, place, places, signal));
  return (
    <Panel title={words.wrong} flush>
      <Loaded reading={reading}>
        {(wrong) => (isWell(wrong) ? <Well /> : <All wrong={wrong} />)}
      </Loaded>
    </Panel>
  );
}

const isWell = ({ alarms, webhooks, refused, problems }: Wrong): boolean =>
  alarms.total + webhooks.length + refused.count + problems.length === 0;

function Well() {
  return (
    <p class="explained">
      <b>{words.nothingWrong}</b> <span class="muted">{words.nothingWrongText}</span>
    </p>
  );
}

function All({ wrong: { alarms, webhooks, refused, problems } }: { wrong: Wrong }) {
  return (
    <ul class="wrong">
      {problems.map(({ severity, text, advice }) => (
        <Row key={text} href={linkTo('/operations')} text={text} more={advice}>
          <Badge tone={severity === 'fail' ? 'bad' : 'warn'}>{words.severities[severity]}</Badge>
        </Row>
      ))}
      {alarms.worst.map(({ id, severity, rule_name: rule, thing_name: thing, fired_at: at }) => (
        <Row key={id} href={linkTo(`/alarms/${id}`)} text={rule} more={thing} at={at}>
          <Severity severity={severity} />
        </Row>
      ))}
      {alarms.total > alarms.worst.length && (
        <Row
          key="alarms"
          href={linkTo('/alarms')}
          text={words.alarms(alarms.total)}
          more={words.moreAlarms}
        />
      )}
      {webhooks.map((webhook) => (
        <Row
          key={webhook.id}
          href={linkTo(`/webhooks/${webhook.id}`)}
          text={webhook.name}
          more={webhook.disabled_at === undefined ? words.webhookFails : words.webhookDisabled}
          at={webhook.disabled_at ?? webhook.failing_since}
        >
          <WebhookState webhook={webhook} />
        </Row>
      ))}
      {refused.count > 0 && (
        <Row
          key="refused"
          href={linkTo('/things', { state: 'refused' })}
          text={words.refused(refused.count, refused.isLeast)}
        >
          <Badge tone="warn">{words.refusedState}</Badge>
        </Row>
      )}
    </ul>
  );
}

function Row(props: {
  href: string;
  text: string;
  more?: string;
  at?: string | undefined;
  children?: ComponentChildren;
}) {
  const { href, text, more, at, children } = props;
  return (
    <li>
      <span class="kind">{children}</span>
      <span class="told">
        <a href={href}>
          <bdi class="cut">{text}</bdi>
        </a>
        {more !== undefined && <bdi class="cut small muted">{more}</bdi>}
      </span>
      {at !== undefined && (
        <span class="small muted">
          <Ago time={at} />
        </span>
      )}
    </li>
  );
}
