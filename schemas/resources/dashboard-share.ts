import { type Static, Type } from 'typebox';
import { panelAggregates, panelKinds } from '../dashboards/members.ts';
import { about, Timestamp, Uuid } from '../http/common.ts';
import { CreatedAt } from '../http/fields.ts';
import { Time, UntilTime } from '../http/time.ts';

const Instant = Type.Unsafe<string | number>(Time);
const Name = Type.String({ minLength: 1, maxLength: 254 });

/** A link by which people without an account see a dashboard. */
export const DashboardShare = Type.Object({
  id: about(Uuid, 'Id of the share: a UUID.', '3c1f2f0e-6a55-4f0b-9f0a-2f0c6d1f7a10'),
  dashboard_id: about(Uuid, 'Id of its dashboard.', '7d1f2f0e-6a55-4f0b-9f0a-2f0c6d1f7a10'),
  name: about(Name, 'Whom it is for.', 'The landlord'),
  made_by_email: about(
    Type.String(),
    'E-mail of who made it: it shows what they may read.',
    'ada@example.com',
  ),
  expires_at: about(Timestamp, 'When it ends: ISO 8601, UTC.', '2026-12-21T10:00:00.000Z'),
  last_used_at: Type.Optional(
    about(Timestamp, 'When it was last used, to the minute. Absent: never.'),
  ),
  created_at: CreatedAt,
});
export type DashboardShare = Static<typeof DashboardShare>;

export const NewDashboardShare = Type.Object({
  name: about(Name, 'Whom it is for.', 'The landlord'),
  expires_at: about(
    Type.Union([Timestamp, Instant]),
    `When it ends, a year from now at most. ${Time.description}`,
    '2026-12-21T10:00:00Z',
  ),
});
export type NewDashboardShare = Static<typeof NewDashboardShare>;

export const MadeDashboardShare = Type.Object({
  ...DashboardShare.properties,
  token: about(
    Type.String(),
    'Token of the link, which is shown this once.',
    'mrs_ZmlmdHktb25lIHJhbmRvbSBieXRlcyBvZiBiYXNlNjQ',
  ),
});

export const DashboardShares = Type.Object({
  shares: about(Type.Array(DashboardShare), 'Shares of the dashboard, the latest first.'),
});

/** A panel without what only its editors need: neither ids nor names of series. */
const SharedPanel = Type.Object({
  id: about(Type.String(), 'Id of the panel.', 'cold-room'),
  title: about(Type.String(), 'Title.', 'Cold room'),
  kind: about(Type.Enum([...panelKinds]), 'Kind.', 'line'),
  unit: Type.Optional(about(Type.String(), 'Unit in place of that of the records.')),
  aggregation: Type.Optional(about(Type.Enum([...panelAggregates]), 'Aggregate.')),
  thresholds: Type.Optional(
    about(
      Type.Array(
        Type.Object({
          value: about(Type.Number(), 'Value from which on it holds.', 8),
          tone: about(Type.Enum(['good', 'warn', 'bad']), 'How it is from there on.', 'bad'),
          label: Type.Optional(about(Type.String(), 'How it is called.', 'too warm')),
        }),
      ),
      'Values from which on it is bad, or good.',
    ),
  ),
  x: about(Type.Integer(), 'Column in which it begins.', 0),
  y: about(Type.Integer(), 'Row in which it begins.', 0),
  w: about(Type.Integer(), 'Columns that it takes.', 6),
  h: about(Type.Integer(), 'Rows that it takes.', 4),
});

/** A dashboard as whoever has a share sees it. */
export const SharedDashboard = Type.Object({
  name: about(Name, 'Name of the dashboard.', 'Cold chain'),
  panels: about(Type.Array(SharedPanel), 'Panels.'),
  from: about(Timestamp, 'Begin of its range now: ISO 8601, UTC.', '2026-11-20T10:00:00.000Z'),
  to: about(Timestamp, 'End of its range now.', '2026-11-21T10:00:00.000Z'),
  refresh_s: Type.Optional(about(Type.Integer(), 'Seconds after which it may be read again.', 30)),
  expires_at: about(Timestamp, 'When the share ends.', '2026-12-21T10:00:00.000Z'),
});
export type SharedDashboard = Static<typeof SharedDashboard>;

export const SharedRange = Type.Object({
  from: Type.Optional(
    about(Instant, `Earliest time, within the range of the dashboard. ${Time.description}`),
  ),
  to: Type.Optional(
    about(Instant, `Latest time, within the range of the dashboard. ${UntilTime.description}`),
  ),
});

const Value = Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()]);
const SharedPoint = Type.Object({
  time: about(Type.Number(), 'Time, in seconds since 1970.', 1_795_255_200.5),
  value: about(
    Value,
    'Value. `null`: an interval without messages; of states, not known from here on.',
    4.5,
  ),
});

export const SharedData = Type.Object({
  from: about(Timestamp, 'Begin of the range: ISO 8601, UTC.', '2026-11-20T10:00:00.000Z'),
  to: about(Timestamp, 'End of the range.', '2026-11-21T10:00:00.000Z'),
  lines: about(
    Type.Array(
      Type.Object({
        label: about(Type.String(), 'How the series is called.', 'freezer 2 · temperature'),
        unit: about(Type.String(), 'Unit of its records; empty if none.', 'Cel'),
        points: about(
          Type.Array(SharedPoint),
          'Values over time. A state holds until the next point.',
        ),
        newest: Type.Optional(about(SharedPoint, 'Newest value of the range.')),
        cut: Type.Optional(
          about(
            Type.Object({
              drawn: about(Type.Integer(), 'Changes that are drawn.', 5_000),
              of: about(Type.Integer(), 'Changes in all.', 7_300),
            }),
            'Of states: how many changes the points are of, where these are only the newest.',
          ),
        ),
      }),
    ),
    'Series of the panel that the maker of the share may read.',
  ),
});
export type SharedData = Static<typeof SharedData>;
