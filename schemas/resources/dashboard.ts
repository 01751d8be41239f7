import { type Static, Type } from 'typebox';
import { DashboardContent } from '../dashboards/content.ts';
import { about, Timestamp, Uuid } from '../http/common.ts';
import { CreatedAt, descriptionChange, newDescription, UpdatedAt } from '../http/fields.ts';
import { filters, listQuery, namedOrders, pageEnvelope, searchBody } from '../http/page.ts';

const Name = about(
  Type.String({ minLength: 1, maxLength: 254 }),
  'Name of the dashboard.',
  'Cold chain',
);

const Version = about(Type.Integer(), 'Number of the version: it grows with each change.', 3);

const SavedBy = Type.Optional(about(Type.String(), 'E-mail of who saved it.', 'ada@example.com'));

const summary = {
  id: about(Uuid, 'Id of the dashboard: a UUID.', '7d1f2f0e-6a55-4f0b-9f0a-2f0c6d1f7a10'),
  org_id: Type.Optional(
    about(Uuid, 'Id of its org. Absent: it is of a group.', '5f6d3c52-8f0e-4a63-b1d5-0c8b6a0f2b21'),
  ),
  group_id: Type.Optional(about(Uuid, 'Id of its group. Absent: it is of an org.')),
  name: Name,
  description: about(Type.String(), 'Description.', 'What the night shift looks at'),
  version: Version,
  saved_by_email: SavedBy,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
};

/** A dashboard: of an org or of a group. */
export const Dashboard = Type.Object({ ...summary, content: DashboardContent });
export type Dashboard = Static<typeof Dashboard>;

/** As lists show it. */
export const DashboardSummary = Type.Object({
  ...summary,
  panels: about(Type.Integer(), 'How many panels it has.', 6),
});
export type DashboardSummary = Static<typeof DashboardSummary>;

export const NewDashboard = Type.Object({
  name: Name,
  description: newDescription('What the night shift looks at'),
  content: DashboardContent,
});
export type NewDashboard = Static<typeof NewDashboard>;

export const DashboardChange = Type.Object({
  version: about(
    Type.Integer({ minimum: 1 }),
    'Version from which the change was made. Refused with 409 where there is a later one.',
    1,
  ),
  name: Type.Optional(Name),
  description: descriptionChange('dashboard', 'What the night shift looks at'),
  content: Type.Optional(DashboardContent),
});
export type DashboardChange = Static<typeof DashboardChange>;

const taken = { name: filters.name };
export const DashboardsQuery = Type.Omit(listQuery(namedOrders, taken), ['metadata']);
export const DashboardsSearch = Type.Omit(searchBody(namedOrders, taken), ['metadata']);
const { total, offset, limit, order, dir, name } = pageEnvelope;
export const Dashboards = Type.Object({
  total,
  offset,
  limit,
  order,
  dir,
  name,
  dashboards: about(
    Type.Array(DashboardSummary),
    'Dashboards of the page, without what they show.',
  ),
});

const versionMembers = {
  version: Version,
  name: Name,
  description: summary.description,
  saved_by_email: SavedBy,
  saved_at: about(Timestamp, 'When it was saved: ISO 8601, UTC.', '2026-11-21T10:00:00.000Z'),
};

/** A dashboard as it was, or is. */
export const DashboardVersion = Type.Object({ ...versionMembers, content: DashboardContent });
export type DashboardVersion = Static<typeof DashboardVersion>;

export const DashboardVersions = Type.Object({
  versions: about(
    Type.Array(
      Type.Object({
        ...versionMembers,
        panels: about(Type.Integer(), 'How many panels it had.', 6),
      }),
    ),
    'The version that there is, and up to 50 before it, the latest first.',
  ),
});
export type DashboardVersions = Static<typeof DashboardVersions>;
