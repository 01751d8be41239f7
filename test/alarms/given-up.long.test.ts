import { describe, expect, it } from 'vitest';
import { noteCorrections } from '../../infra/runtime/alarms/corrections.ts';
import { openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { onShards } from '../../infra/runtime/stores/cluster.ts';
import { limits } from '../../workers/limits.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { metric, Site } from './world.ts';

const givenUpMsMax = 300_000;

/** Stores so many records of a thing, one after the other yesterday, and notes that they came late. */
async function expectGivenUp(records: number, stepUs: number, value: string): Promise<void> {
  const site = await Site.open(['freezer']);
  const ruleId = await site.rule();
  const { id: thingId } = site.thing();
  const clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 60_000);
  const atS = Math.floor(Date.now() / 1_000) - 86_400;
  await clickhouse.command({
    query: `INSERT INTO senml (publisher, protocol, name, time, kind, given)
            SELECT {publisher:UUID}, 'http', 'temperature', ${atS} * 1000000000 + number * ${stepUs}000, 'value', ${value}
            FROM numbers({records:UInt64})`,
    query_params: { publisher: thingId, records },
  });
  const names = ['given_up_total', 'total'].map((name) => `millrace_alarm_corrections_${name}`);
  const counted = () => Promise.all(names.map(metric));
  const [givenUp = 0, corrected = 0] = await counted();
  try {
    const fromUs = atS * 1_000_000;
    const range = { fromUs, toUs: fromUs + records * stepUs };
    await noteCorrections(site.rows, [{ ruleId, thingId, ...range, onlyIfAlarm: false }]);
    await eventually(
      async () => expect(await counted()).toEqual([givenUp + 1, corrected]),
      givenUpMsMax,
    );
    const left = 'SELECT FROM alarm_corrections WHERE rule_id = $1';
    expect(await site.rows(left, [ruleId])).toEqual([]);
    expect(await site.rows('SELECT FROM alarms WHERE rule_id = $1', [ruleId])).toEqual([]);
  } finally {
    await clickhouse.command({
      query: `DELETE FROM ${onShards(clickhouse.cluster, 'senml')} WHERE publisher = {publisher:UUID}`,
      query_params: { publisher: thingId },
    });
    await clickhouse.close();
    await site.close();
  }
}

describe('history stays as it was, and operators see how often', () => {
  it('where it has too many records', () =>
    expectGivenUp(limits.correctionRecordsMax + 1, 1_000, '9'));

  it('where it has too many records in a moment', () =>
    expectGivenUp(limits.correctionRowsMax, 1, '9'));

  it('where it has too many alarms', () =>
    expectGivenUp(2 * (limits.correctionEpisodesMax + 2), 1_000, 'number % 2 * 18 - 9'));
});
