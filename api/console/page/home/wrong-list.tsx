import type { ComponentChildren } from 'preact';
import { Severity } from '../alarms/severity.tsx';
import { linkTo } from '../router.ts';
import { homeTexts } from '../texts/home.ts';
import { Badge, Panel } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { WebhookState } from '../webhooks/state.tsx';
import type { Glance } from './overview.ts';

const words = homeTexts;

/** Until then, that messages wait for the store is nothing to tell. */
const lagSecondsMin = 60;

/** All that is wrong now, the worst first, each with the way to where it is mended. */
export function WrongNow({ glance }: { glance: Glance }) {
  return (
    <Panel title={words.wrong} flush>
      {isWell(glance) ? <Well /> : <All glance={glance} />}
    </Panel>
  );
}

const openIn = ({ critical, warning, info }: Glance['overview']['alarms']) =>
  critical + warning + info;

const isWell = ({ overview, problems }: Glance): boolean =>
  openIn(overview.alarms) +
    overview.webhooks.failing +
    overview.refused.things +
    problems.length ===
    0 && overview.lag_seconds < lagSecondsMin;

function Well() {
  return (
    <p class="explained">
      <b>{words.nothingWrong}</b> <span class="muted">{words.nothingWrongText}</span>
    </p>
  );
}

function All({ glance: { overview, problems } }: { glance: Glance }) {
  const { refused, lag_seconds: lag } = overview;
  // Who sees the problems of the installation is told there.
  const isLate = lag >= lagSecondsMin && problems.length === 0;
  return (
    <ul class="wrong">
      {problems.map(({ severity, text, advice }) => (
        <Row key={text} href={linkTo('/operations')} text={text} more={advice}>
          <Badge tone={severity === 'fail' ? 'bad' : 'warn'}>{words.severities[severity]}</Badge>
        </Row>
      ))}
      {isLate && (
        <Row key="late" text={words.late(lag)} more={words.lateMeans}>
          <Badge tone="warn">{words.severities.warn}</Badge>
        </Row>
      )}
      <Alarms alarms={overview.alarms} />
      <Webhooks webhooks={overview.webhooks} />
      {refused.things > 0 && (
        <Row
          key="refused"
          href={linkTo('/things', { state: 'refused' })}
          text={words.refused(refused.messages, refused.things)}
        >
          <Badge tone="warn">{words.refusedState}</Badge>
        </Row>
      )}
    </ul>
  );
}

function Alarms({ alarms }: { alarms: Glance['overview']['alarms'] }) {
  return (
    <>
      {alarms.worst.map(({ id, severity, rule_name: rule, thing_name: thing, fired_at: at }) => (
        <Row key={id} href={linkTo(`/alarms/${id}`)} text={rule} more={thing} at={at}>
          <Severity severity={severity} />
        </Row>
      ))}
      {openIn(alarms) > alarms.worst.length && (
        <Row
          href={linkTo('/alarms')}
          text={words.alarms(openIn(alarms))}
          more={words.bySeverity(alarms)}
        />
      )}
    </>
  );
}

function Webhooks({ webhooks }: { webhooks: Glance['overview']['webhooks'] }) {
  return (
    <>
      {webhooks.longest.map((webhook) => (
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
      {webhooks.failing > webhooks.longest.length && (
        <Row href={linkTo('/webhooks')} text={words.webhooks(webhooks.failing)} />
      )}
    </>
  );
}

function Row(props: {
  href?: string;
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
        {href === undefined ? (
          <bdi class="cut">{text}</bdi>
        ) : (
          <a href={href}>
            <bdi class="cut">{text}</bdi>
          </a>
        )}
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
