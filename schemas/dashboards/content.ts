import { type Static, Type } from 'typebox';
import { about, objectLimits, type ObjectLimits, Uuid } from '../http/common.ts';
import {
  gridColumns,
  panelAggregates,
  panelKinds,
  panelsMax,
  seriesOfPanelMax,
  tones,
} from './members.ts';

/*
 * A dashboard shows panels on a grid of twelve columns, variables, and a range of time for all of them. Nothing else
 * may stand in it, so that whoever writes one by hand is told of a slip. check.ts looks at what members say together.
 */

const gridRowsMax = 1_000;
const contentLimits: ObjectLimits = { bytes: 64 * 1024, values: 20_000 };

const strict = { additionalProperties: false } as const;
const Name = Type.String({ minLength: 1, maxLength: 1_024 });
const Label = Type.String({ maxLength: 254 });
const variablePattern = '^[A-Za-z]\\w{0,31}$';

const PanelSeries = Type.Object(
  {
    thing: Type.Optional(
      about(Uuid, 'Id of the thing. Or `variable`.', 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'),
    ),
    variable: Type.Optional(
      about(
        Type.String({ pattern: variablePattern }),
        'Name of a variable: the series of its thing, or of each thing of its group (the first 20, by name). Or `thing`.',
      ),
    ),
    format: Type.Optional(
      about(Type.Enum(['senml', 'json']), 'Format of the messages. Default `senml`.', 'senml'),
    ),
    subtopic: Type.Optional(
      about(Type.String({ maxLength: 254 }), 'Only messages of this subtopic. Absent: of all.'),
    ),
    name: Type.Optional(
      about(
        Name,
        'SenML: name of the records. JSON: path in the payload, its parts joined by dots. A map needs none.',
        'temperature',
      ),
    ),
    label: Type.Optional(about(Label, 'How it is called. Default: by thing and name.', 'hall')),
  },
  strict,
);

const Threshold = Type.Object(
  {
    value: about(Type.Number(), 'From this value on.', 8),
    tone: about(Type.Enum([...tones]), 'How bad that is.', 'bad'),
    label: Type.Optional(about(Label, 'How it is called.', 'too warm')),
  },
  strict,
);

const cells = (minimum: number, maximum: number, says: string, example: number) =>
  about(Type.Integer({ minimum, maximum }), says, example);

const Panel = Type.Object(
  {
    id: about(
      Type.String({ pattern: '^[\\w-]{1,36}$' }),
      'Id of the panel, of its own in the dashboard: up to 36 letters, digits, `-` and `_`.',
      'cold-room',
    ),
    title: about(Label, 'Title.', 'Cold room'),
    kind: about(
      Type.Enum([...panelKinds]),
      '`line` and `bars`: numbers over time; `states`: texts and booleans over time; `value`: the newest, large; `table`: the newest of each series; `map`: where the things of its series are, or all things of the group or org.',
      'line',
    ),
    series: about(
      Type.Array(PanelSeries, { maxItems: seriesOfPanelMax }),
      `What it shows: at most ${seriesOfPanelMax} series.`,
    ),
    unit: Type.Optional(
      about(Type.String({ maxLength: 32 }), 'Unit. Default: that of the records.', '°C'),
    ),
    aggregation: Type.Optional(
      about(
        Type.Enum([...panelAggregates]),
        'What becomes of the values of each interval. Default `none`: as many as draw the same chart.',
        'avg',
      ),
    ),
    interval: Type.Optional(
      about(
        Type.String({ pattern: '^(?:auto|[1-9]\\d{0,3}[smhdw])$' }),
        'How long an interval is: `30s`, `5m`, `1h`, `1d`, `1w`. Default `auto`: by the range.',
        'auto',
      ),
    ),
    thresholds: Type.Optional(
      about(Type.Array(Threshold, { maxItems: 10 }), 'Values from which on it is bad, or good.'),
    ),
    x: cells(0, gridColumns - 1, 'Column in which it begins, from 0 to 11.', 0),
    y: cells(0, gridRowsMax, 'Row in which it begins, from 0.', 0),
    w: cells(1, gridColumns, 'Columns that it takes, 1 to 12.', 6),
    h: cells(1, 40, 'Rows that it takes.', 4),
  },
  strict,
);

const Variable = Type.Object(
  {
    name: about(
      Type.String({ pattern: variablePattern }),
      'Name, by which series refer to it: a letter, then up to 31 letters, digits and `_`.',
      'room',
    ),
    kind: about(Type.Enum(['group', 'thing']), 'What it stands for: a group, or a thing.', 'group'),
    default: Type.Optional(
      about(Uuid, 'Id that it has until somebody chooses another. Absent: none.'),
    ),
  },
  strict,
);

const DashboardRange = Type.Object(
  {
    last: Type.Optional(
      about(
        Type.String({ pattern: '^[1-9]\\d{0,3}[mhdw]$' }),
        'The last so many minutes, hours, days or weeks: `15m`, `24h`, `7d`. Or `from` and `to`.',
        '24h',
      ),
    ),
    from: Type.Optional(about(Type.String({ maxLength: 40 }), 'Its begin: ISO 8601 with a zone.')),
    to: Type.Optional(about(Type.String({ maxLength: 40 }), 'Its end: ISO 8601 with a zone.')),
  },
  strict,
);

const Content = Type.Object(
  {
    panels: about(
      Type.Array(Panel, { maxItems: panelsMax }),
      `Panels: at most ${panelsMax}, on a grid of ${gridColumns} columns.`,
    ),
    variables: Type.Optional(
      about(Type.Array(Variable, { maxItems: 10 }), 'What a reader may choose: at most 10.'),
    ),
    range: about(DashboardRange, 'Range of time of all panels, until a reader chooses another.', {
      last: '24h',
    }),
    refresh_s: Type.Optional(
      about(
        Type.Integer({ minimum: 5, maximum: 3_600 }),
        'Seconds after which it is read again while somebody looks. Absent: it is not.',
        30,
      ),
    ),
  },
  { ...strict, [objectLimits]: contentLimits },
);

/** The content of a dashboard. */
export const DashboardContent = about(
  Content,
  'What it shows: at most 64 KiB of JSON, in which no other members may stand.',
  {
    panels: [
      {
        id: 'cold-room',
        title: 'Cold room',
        kind: 'line',
        series: [{ thing: 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b', name: 'temperature' }],
        thresholds: [{ value: 8, tone: 'bad' }],
        x: 0,
        y: 0,
        w: 6,
        h: 4,
      },
    ],
    variables: [],
    range: { last: '24h' },
    refresh_s: 30,
  },
);
export type DashboardContent = Static<typeof DashboardContent>;

export type Panel = DashboardContent['panels'][number];
export type PanelSeries = Panel['series'][number];
export type DashboardRange = DashboardContent['range'];
export type Threshold = NonNullable<Panel['thresholds']>[number];
export type Variable = NonNullable<DashboardContent['variables']>[number];
