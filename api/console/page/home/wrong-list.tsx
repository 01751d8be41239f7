import type { ComponentChildren, VNode } from 'preact';
import { Severity } from '../alarms/severity.tsx';
import { useMay } from '../roles.ts';
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
      <All glance={glance} />
    </Panel>
  );
}

const openIn = ({ critical, warning, info }: Glance['overview']['alarms']) =>
  critical + warning + info;

function Well() {
  return (
    <p class="explained">
      <b>{words.nothingWrong}</b> <span class="muted">{words.nothingWrongText}</span>
    </p>
  );
}

/** How bad something is, the worst first. */
const severities = ['failure', 'critical', 'warning', 'info'] as const;

/** One thing that is wrong. */
type Wrong = { severity: (typeof severities)[number]; row: VNode };

/** Of one severity, the kinds stand as they are named here. */
function All({ glance: { overview, problems } }: { glance: Glance }) {
  const all: Wrong[] = [
    ...wrongAlarms(overview.alarms),
    ...wrongWebhooks(overview.webhooks),
    ...wrongProcesses(problems),
    ...overQuota(overview.over_quota),
    ...late(overview, problems),
    ...refusals(overview),
  ];
  if (all.length === 0) return <Well />;
  return (
    <ul class="wrong">
      {severities.flatMap((wanted) =>
        all.filter(({ severity }) => severity === wanted).map(({ row }) => row),
      )}
    </ul>
  );
}

const wrongProcesses = (problems: Glance['problems']): Wrong[] =>
  problems.map(({ severity, text, advice }) => ({
    severity: severity === 'fail' ? 'failure' : 'warning',
    row: (
      <Row key={text} href={linkTo('/operations')} text={text} more={advice}>
        <Badge tone={severity === 'fail' ? 'bad' : 'warn'}>{words.severities[severity]}</Badge>
      </Row>
    ),
  }));

function late({ lag_seconds: lag }: Glance['overview'], problems: Glance['problems']): Wrong[] {
  // Who sees the problems of the installation is told there.
  if (lag < lagSecondsMin || problems.length > 0) return [];
  const row = (
    <Row key="late" text={words.late(lag)} more={words.lateMeans}>
      <Badge tone="warn">{words.severities.warn}</Badge>
    </Row>
  );
  return [{ severity: 'warning', row }];
}

function refusals({ refused }: Glance['overview']): Wrong[] {
  if (refused.things === 0) return [];
  const row = (
    <Row
      key="refused"
      href={linkTo('/things', { state: 'refused' })}
      text={words.refused(refused.messages, refused.things)}
    >
      <Badge tone="warn">{words.refusedState}</Badge>
    </Row>
  );
  return [{ severity: 'warning', row }];
}

/** None of their messages is taken until the next month. */
function overQuota({ orgs, total }: Glance['overview']['over_quota']): Wrong[] {
  const rows = orgs.map((org) => <OrgOverQuota key={org.id} org={org} />);
  const others = (
    <Row key="over quota" href={linkTo('/organization')} text={words.orgsOverQuota(total)} />
  );
  const all = total > orgs.length ? [...rows, others] : rows;
  return all.map((row) => ({ severity: 'failure', row }));
}

/** Leads to the usage of the org those who may see it. */
function OrgOverQuota({ org: { id, name } }: { org: { id: string; name: string } }) {
  const may = useMay({ of: 'org', id });
  const link = may('viewOrgUsage')
    ? { href: linkTo('/organization', { org: id, tab: 'usage' }) }
    : {};
  return (
    <Row {...link} text={name} more={words.overQuota}>
      <Badge tone="bad">{words.refusedState}</Badge>
    </Row>
  );
}

function wrongAlarms(alarms: Glance['overview']['alarms']): Wrong[] {
  const listed = alarms.worst.map(
    ({ id, severity, rule_name: rule, thing_name: thing, fired_at: at }): Wrong => ({
      severity,
      row: (
        <Row key={id} href={linkTo(`/alarms/${id}`)} text={rule} more={thing} at={at}>
          <Severity severity={severity} />
        </Row>
      ),
    }),
  );
  if (openIn(alarms) <= alarms.worst.length) return listed;
  const row = (
    <Row
      key="alarms"
      href={linkTo('/alarms')}
      text={words.alarms(openIn(alarms))}
      more={words.bySeverity(alarms)}
    />
  );
  // Below those that are listed.
  return [...listed, { severity: listed.at(-1)?.severity ?? 'info', row }];
}

function wrongWebhooks({ longest, failing }: Glance['overview']['webhooks']): Wrong[] {
  const rows = longest.map((webhook) => (
    <Row
      key={webhook.id}
      href={linkTo(`/webhooks/${webhook.id}`)}
      text={webhook.name}
      more={webhook.disabled_at === undefined ? words.webhookFails : words.webhookDisabled}
      at={webhook.disabled_at ?? webhook.failing_since}
    >
      <WebhookState webhook={webhook} />
    </Row>
  ));
  const others = <Row key="webhooks" href={linkTo('/webhooks')} text={words.webhooks(failing)} />;
  const all = failing > longest.length ? [...rows, others] : rows;
  return all.map((row) => ({ severity: 'warning', row }));
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
