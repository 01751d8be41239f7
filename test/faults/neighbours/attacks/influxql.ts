import type { Attack } from '../attacker.ts';

const atOnce = 40;
const [messages, records] = [50, 1_000];
const century = `time >= '2000-01-01' AND time < '2100-01-01'`;
const heavy = '(a|b|aa|aab)*(a?){20}a{20}$';

/** Each for itself is refused, or costs a statement's share at most. */
const statements = [
  `SELECT mean(value) FROM a WHERE ${century} GROUP BY time(1ns)`,
  'SELECT mean(value) FROM a GROUP BY time(1ns)',
  `SELECT percentile(value, 99), stddev(value), median(value) FROM /.*/ WHERE ${century} GROUP BY time(1d), *`,
  `SELECT * FROM /${heavy}/ WHERE thing =~ /${heavy}/ ORDER BY time DESC LIMIT 100000`,
  `SELECT value FROM a WHERE ${'('.repeat(1_500)}value > 1${')'.repeat(1_500)}`,
  `SELECT ${Array.from({ length: 300 }, (_, at) => `mean(value) + ${at}`).join(', ')} FROM a`,
  Array.from({ length: 200 }, () => 'SHOW SERIES').join(';'),
  'SHOW TAG VALUES WITH KEY =~ /.*/',
  'SELECT difference(value) FROM a',
];

export const influxQl: Attack = {
  name: 'InfluxQL of all kinds that cost',
  async prepare(attacker) {
    const { groupId, key } = await attacker.fleet.thing();
    for (let at = 0; at < messages; at++) {
      const message = Array.from({ length: records }, (_, record) => ({
        n: record % 10 === 0 ? `m${record}` : 'a',
        v: record,
        t: 1_700_000_000 + at * records + record,
      }));
      await attacker.edge(`Thing ${key}`, message);
    }
    const { text } = await attacker.api('GET', `/groups/${groupId}`);
    const db = String(Reflect.get(Object(JSON.parse(text)), 'org_id'));
    return async () => {
      await Promise.all(
        Array.from({ length: atOnce }, (_, at) => {
          const q = statements[at % statements.length] ?? '';
          return attacker.api('GET', `/query?${new URLSearchParams({ db, q }).toString()}`);
        }),
      );
    };
  },
};
