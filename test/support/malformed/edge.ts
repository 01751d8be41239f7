import { encode } from 'cbor-x';
import { Agent, request } from 'undici';
import { inParallel } from '../api/parallel.ts';
import type { Fleet } from '../fleet.ts';
import { dice, goodBytes, goodJson, malformedBody } from './mutate.ts';

const atOnce = 32;
const wrongKept = 20;

const pack = [
  { bn: 'urn:dev:a:', bt: 1_700_000_000, bu: 'Cel', bver: 10, n: 't', v: 21.5 },
  { n: 'h', u: '%RH', v: 40, t: -1, s: 3 },
  { n: 's', vs: 'ok "quoted" é', ut: 5 },
  { n: 'b', vb: true },
  { n: 'd', vd: 'AAECAw' },
];
const object = { at: 1_700_000_000, a: { b: [1, 2.5, null, true], c: 'é' }, 'd.e': 'text' };

/** What the edge answered to so many bodies that are wrong in some way. */
type Flood = { statuses: Record<string, number>; wrong: string[] };

/** Sends them; `wrong` is each answer that must not be. */
export async function floodEdge(fleet: Fleet, seed: number, bodies: number): Promise<Flood> {
  const senml = await fleet.thing();
  const json = await fleet.thing({
    content_type: 'application/json',
    transformer: { time_field: 'at', time_format: 'unix', data_filters: ['a.b', 'a.c', 'd.e'] },
  });
  const kinds = [
    { type: 'application/senml+json', key: senml.key, good: [goodJson(pack)] },
    { type: 'application/senml+cbor', key: senml.key, good: [goodBytes(encode(pack))] },
    { type: 'application/json', key: json.key, good: [goodJson(object), goodJson([object])] },
  ];
  const random = dice(seed);
  const agent = new Agent({ connections: atOnce });
  const statuses: Record<string, number> = {};
  const wrong: string[] = [];
  const complain = (what: string) => {
    if (wrong.length < wrongKept) wrong.push(what);
  };
  const numbers = Array.from({ length: bodies }, (_, number) => number);
  await inParallel(atOnce, numbers, async (number) => {
    const { type, key, good } = random.oneOf(kinds);
    const body = malformedBody(good, random);
    const what = () => `${number} (${type}, ${body.subarray(0, 200).toString('base64')})`;
    try {
      const answer = await request(`${fleet.ingestUrl}/http/messages`, {
        method: 'POST',
        dispatcher: agent,
        headers: { authorization: `Thing ${key}`, 'content-type': type },
        body,
      });
      const text = await answer.body.text();
      const { statusCode: status, headers } = answer;
      statuses[status] = (statuses[status] ?? 0) + 1;
      const isLater = status === 503 && headers['retry-after'] !== undefined;
      if (status >= 500 && !isLater) complain(`${what()}: ${status} ${text}`);
      if (status < 200 || (status > 202 && status < 400)) complain(`${what()}: ${status}`);
      if (status >= 400 && !text.includes('"error"')) complain(`${what()}: no error in ${text}`);
    } catch (error) {
      complain(`${what()}: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  await agent.close();
  return { statuses, wrong };
}
