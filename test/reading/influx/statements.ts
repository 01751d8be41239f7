import fc from 'fast-check';
import { start } from './points.ts';

const seconds = (count: number) => `${count}s`;
const measurement = fc.constantFrom('cpu', 'mem', '"cpu"', '/^(cpu|mem)$/', 'cpu, mem');

const numeric = fc.constantFrom('value', 'idle', '"value"', '"idle"::field');
const anyField = fc.constantFrom('value', 'idle', 'up', 'msg');

const calculated = fc
  .tuple(fc.constantFrom('mean', 'median', 'sum', 'spread', 'stddev', 'min', 'max'), numeric)
  .map(([name, field]) => `${name}(${field})`);
const selected = fc
  .tuple(fc.constantFrom('count', 'first', 'last'), anyField)
  .map(([name, field]) => `${name}(${field})`);
/** Of equal values InfluxDB chooses any: so they stand where the time of the chosen one does not show. */
const percentile = fc
  .tuple(numeric, fc.constantFrom('50', '66', '90.5', '99.9', '100'))
  .map(([field, percent]) => `percentile(${field}, ${percent})`);
const distinct = anyField.map((field) => `count(distinct(${field}))`);

const aggregate = fc.oneof(calculated, selected, distinct);
const aggregateOfInterval = fc.oneof(calculated, selected, percentile, distinct);

const transformOf = (inner: fc.Arbitrary<string>) =>
  fc.oneof(
    fc
      .tuple(
        fc.constantFrom('derivative', 'non_negative_derivative'),
        inner,
        fc.constantFrom('', ', 1s', ', 5m'),
      )
      .map(([name, field, unit]) => `${name}(${field}${unit})`),
    fc
      .tuple(fc.constantFrom('difference', 'cumulative_sum', 'non_negative_difference'), inner)
      .map(([name, field]) => `${name}(${field})`),
  );

/**
 * In InfluxDB a number in a gap of texts or booleans is an empty text, or false, and a line between integers has integers
 * alone.
 */
const isFilledAlike = (one: string, filled: string) =>
  !(/\d/.test(filled) && !ofNumbers(one)) && !(filled.includes('linear') && /idle|count/.test(one));

/** InfluxDB knows the types of fields, and refuses to calculate with texts. */
const ofNumbers = (one: string) => !/msg|up/.test(one);

const mathematicsOf = (inner: fc.Arbitrary<string>) =>
  fc
    .tuple(inner.filter(ofNumbers), fc.constantFrom('* 2', '+ 1.5', '- 3', '/ 4', '* (-1)'))
    .map(([one, more]) => `${one} ${more}`);

const tagTest = fc.constantFrom(
  `host = 'a'`,
  `host != 'b'`,
  `"host" =~ /^(a|b)$/`,
  `host =~ /[a-c]/`,
  `host !~ /d/`,
  `region = 'x'`,
  `region = ''`,
  `region != ''`,
  `"region"::tag = 'y.z'`,
  `(host = 'a' OR host = 'c d')`,
  `(host = 'a' AND region = 'x')`,
  `host = 'nobody'`,
);
const fieldTest = fc.constantFrom(
  'value > 100',
  'value <= 0',
  'idle != 3',
  'idle >= 10',
  'up = true',
  `msg = 'on'`,
  `msg != 'on'`,
  '(value > 500 OR idle < 0)',
);

/** A range, as clients write it. */
const rangeOf = (secondsMin: number) =>
  fc
    .tuple(
      fc.integer({ min: -300, max: 3_300 }),
      fc.integer({ min: secondsMin, max: 3_600 }),
      fc.nat(2),
    )
    .map(([from, length, form]) => {
      const begin = start / 1_000_000_000n + BigInt(from);
      const end = begin + BigInt(length);
      if (form === 0) return `time >= ${begin}s AND time < ${end}s`;
      if (form === 1) return `time > ${begin}000ms and time <= ${end}000ms`;
      return `time >= '${new Date(Number(begin) * 1_000).toISOString()}' AND time < ${end}000000000`;
    });

const where = (needsRange: boolean, secondsMin = 1) =>
  fc
    .record({
      range: needsRange ? rangeOf(secondsMin) : fc.option(rangeOf(secondsMin), { nil: undefined }),
      tag: fc.option(tagTest, { nil: undefined }),
      field: fc.option(fieldTest, { nil: undefined, freq: 2 }),
    })
    .map(({ range: times, tag, field }) => {
      const all = [times, tag, field].filter((one) => one !== undefined);
      return all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`;
    });

const groupTags = fc.constantFrom(
  '',
  '',
  'host',
  'host, region',
  'region',
  '"host"::tag',
  '*',
  '/ho/',
);
const interval = fc
  .tuple(fc.constantFrom(10, 60, 300, 600, 900), fc.constantFrom('', '', ', 5s', ', -20s'))
  .map(([length, offset]) => `time(${seconds(length)}${offset})`);
const fill = fc.constantFrom(
  '',
  '',
  ' fill(none)',
  ' fill(null)',
  ' fill(0)',
  ' fill(previous)',
  ' fill(linear)',
  ' fill(7)',
);

const ending = fc
  .record({
    order: fc.constantFrom('', '', ' ORDER BY time DESC', ' ORDER BY time ASC'),
    limit: fc.constantFrom('', '', ' LIMIT 3', ' LIMIT 5 OFFSET 2'),
  })
  .map(({ order, limit }) => `${order}${limit}`);

const grouping = (tags: string, time: string) => {
  const all = [time, tags].filter((one) => one !== '');
  return all.length === 0 ? '' : ` GROUP BY ${all.join(', ')}`;
};

/** Rows as they are. */
const raw = fc
  .tuple(
    fc.constantFrom(
      '*',
      'value',
      'value, idle',
      'msg, up, value',
      'value, host',
      '/^(val|id)/',
      'value AS v, idle * 2',
    ),
    measurement,
    where(false),
    groupTags,
    ending,
  )
  .map(
    ([fields, from, all, tags, end]) =>
      `SELECT ${fields} FROM ${from}${all}${grouping(tags, '')}${end}`,
  );

/** Aggregates of everything, or of each interval. */
const whole = fc
  .tuple(
    fc.array(fc.oneof(aggregate, mathematicsOf(aggregate)), { minLength: 1, maxLength: 3 }),
    measurement,
    where(false),
    groupTags,
    ending,
  )
  .map(
    ([fields, from, all, tags, end]) =>
      `SELECT ${fields.join(', ')} FROM ${from}${all}${grouping(tags, '')}${end}`,
  );

const buckets = fc
  .tuple(
    fc.array(fc.oneof(aggregateOfInterval, mathematicsOf(aggregateOfInterval)), {
      minLength: 1,
      maxLength: 3,
    }),
    measurement,
    where(true),
    groupTags,
    interval,
    fill,
    ending,
  )
  .filter(([fields, , , , , filled]) => fields.every((one) => isFilledAlike(one, filled)))
  .map(
    ([fields, from, all, tags, time, filled, end]) =>
      `SELECT ${fields.join(', ')} FROM ${from}${all}${grouping(tags, time)}${filled}${end}`,
  );

const transformed = fc.oneof(
  fc
    .tuple(transformOf(numeric), measurement, where(false), groupTags, ending)
    .map(
      ([field, from, all, tags, end]) =>
        `SELECT ${field} FROM ${from}${all}${grouping(tags, '')}${end}`,
    ),
  fc
    .tuple(
      transformOf(aggregateOfInterval.filter(ofNumbers)),
      measurement,
      // InfluxDB also answers series that have points before the range alone.
      where(true, 2_400),
      groupTags,
      interval,
      fill,
      ending,
    )
    .filter(([field, , , , , filled]) => isFilledAlike(field, filled))
    .map(
      ([field, from, all, tags, time, filled, end]) =>
        `SELECT ${field} FROM ${from}${all}${grouping(tags, time)}${filled}${end}`,
    ),
);

const zoned = fc
  .tuple(fc.oneof(buckets), fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kolkata'))
  .map(([statement, zone]) => `${statement} tz('${zone}')`);

const shown = fc.constantFrom(
  'SHOW MEASUREMENTS',
  'SHOW MEASUREMENTS WITH MEASUREMENT =~ /(?i)CP/ LIMIT 1',
  'SHOW MEASUREMENTS LIMIT 1 OFFSET 1',
  `SHOW MEASUREMENTS WHERE host = 'a'`,
  'SHOW TAG KEYS',
  'SHOW TAG KEYS FROM cpu',
  'SHOW TAG VALUES WITH KEY = host',
  'SHOW TAG VALUES FROM "cpu" WITH KEY = "host"',
  'SHOW TAG VALUES FROM mem WITH KEY IN (host, region)',
  'SHOW TAG VALUES WITH KEY =~ /^(ho|re)/',
  `SHOW TAG VALUES FROM cpu WITH KEY = host WHERE region = 'x'`,
  'SHOW RETENTION POLICIES',
);

/** A statement of the part of InfluxQL that both systems have. */
export const statement: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: raw },
  { weight: 3, arbitrary: whole },
  { weight: 5, arbitrary: buckets },
  { weight: 3, arbitrary: transformed },
  { weight: 1, arbitrary: zoned },
  { weight: 1, arbitrary: shown },
);
