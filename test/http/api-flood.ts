import { type Answer, call } from '../support/api/http.ts';
import { samples } from '../access/matrix/requests.ts';
import type { Sample } from '../access/matrix/sample.ts';
import { createWorld, type World } from '../access/matrix/world.ts';
import { inParallel } from '../support/api/parallel.ts';
import { allRoutes, type Route } from '../support/api/routes.ts';
import {
  dice,
  type Dice,
  type Good,
  goodJson,
  malformedBody,
  malformedPath,
} from '../support/malformed/mutate.ts';

const atOnce = 16;
const wrongKept = 20;
/** Failed logins and unknown keys count for an address of their own. */
const from = '127.0.0.78';

/** They take nothing; and what is passed on to the edge has its own flood. */
const ofOperators: readonly string[] = [
  'passToEdge',
  'backupMessages',
  'viewMetrics',
  'viewDocs',
  'enterConsole',
  'viewQueuesPage',
];

type ApiFlood = { routes: number; statuses: Record<string, number>; wrong: string[] };

/** Sends so many wrong requests to each route that takes anything; `wrong` is each answer that must not be. */
export async function floodApi(seed: number, each: number): Promise<ApiFlood> {
  const world = await createWorld();
  const random = dice(seed);
  const statuses: Record<string, number> = {};
  const wrong: string[] = [];
  const routes = allRoutes.filter(
    ({ operation }) => !ofOperators.includes(operation) && !operation.startsWith('viewHealth'),
  );
  for (const route of routes) {
    const sample = samples[route.operation];
    if (sample === undefined) throw new Error(`no good request of ${route.operation}`);
    const send = sender(route, sample, world, random);
    await inParallel(atOnce, Array.from({ length: each }), async () => {
      const { what, answer } = await send();
      if (typeof answer !== 'string') statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      const problem = typeof answer === 'string' ? answer : complaint(answer);
      if (problem === undefined || wrong.length >= wrongKept) return;
      wrong.push(`${route.operation}: ${what}: ${problem}`);
    });
  }
  await world.people.close();
  return { routes: routes.length, statuses, wrong };
}

function sender(route: Route, sample: Sample, world: World, random: Dice) {
  const place = world.places.own;
  const { method } = route;
  const as = senderOf(route.operation, world);
  const path = sample.path(place, world);
  const body = sample.body?.(place, world);
  const good: Good[] = body === undefined ? [] : [goodJson(body)];
  const isFile = route.operation === 'restoreMessages';
  const headers = { 'content-type': isFile ? 'application/octet-stream' : 'application/json' };
  return async (): Promise<{ what: string; answer: Answer | string }> => {
    const raw = good.length === 0 ? undefined : malformedBody(good, random);
    const url = raw === undefined ? malformedPath(path, Object.keys(route.query), random) : path;
    const shown = raw === undefined ? url : raw.subarray(0, 200).toString('base64');
    const what = `${method} ${shown}`;
    try {
      const given = raw === undefined ? {} : { raw, headers };
      return { what, answer: await call(method, url, { as, from, ...given }) };
    } catch (error) {
      return { what, answer: error instanceof Error ? error.message : String(error) };
    }
  };
}

/** The platform admin, unless their own password is at stake, or all that the store holds is read. */
function senderOf(operation: string, { admin, newcomer, places }: World): string {
  if (operation === 'changeOwnPassword') return newcomer.as;
  const isReader = /Messages(_|OfThing)/.test(operation);
  return isReader ? places.own.owner.as : admin;
}

function complaint({ status, headers, text }: Answer): string | undefined {
  const isLater = status === 503 && headers['retry-after'] !== undefined;
  if (status >= 500 && !isLater) return `${status} ${text}`;
  if (status < 200 || (status >= 300 && status < 400)) return `${status} ${text}`;
  if (status >= 400 && !text.includes('"error"')) return `${status}, no error in ${text}`;
  return undefined;
}
