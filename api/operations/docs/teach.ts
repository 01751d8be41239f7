import { entityPlaces, type Requirement } from '../../http/requirement.ts';
import { isObject, type Members, membersOf } from '../../../schemas/members.ts';
import { exampleOf } from '../../../schemas/http/examples.ts';
import { commandSamples } from './command-samples.ts';

/** These make the document one to learn from: who may, what ids are of, an example of each body, answer and command. */

/** Says of each operation of the document what its schemas do not. */
export function teach(document: object): void {
  const { paths, components } = membersOf(document);
  const schemas = membersOf(membersOf(components)['schemas']);
  for (const [path, item] of Object.entries(membersOf(paths))) {
    for (const operation of Object.values(membersOf(item))) {
      const { parameters = [], requestBody, responses, operationId } = membersOf(operation);
      for (const parameter of [parameters].flat()) describeParameter(path, parameter);
      const answers = Object.entries(membersOf(responses)).filter(([status]) => status < '300');
      for (const body of [requestBody, ...answers.map(([, answer]) => answer)])
        addExamples(membersOf(body)['content'], schemas);
      // A search without a body is one for everything.
      const isSearch = String(operationId).startsWith('search');
      if (isSearch && isObject(requestBody)) Reflect.set(requestBody, 'required', false);
      const command = commandSamples[String(operationId)];
      if (command !== undefined && isObject(operation)) {
        Reflect.set(operation, 'x-command', `npx millrace ${command}`);
      }
    }
  }
}

/** Nothing is required that has a default. */
export function requireNoDefaults(root: unknown): void {
  if (!isObject(root)) return;
  const { required, properties, name, schema } = membersOf(root);
  if (Array.isArray(required) && isObject(properties)) {
    const needed = required.filter((one) => !hasDefault(membersOf(properties)[String(one)]));
    if (needed.length > 0) Reflect.set(root, 'required', needed);
    else Reflect.deleteProperty(root, 'required');
  }
  if (typeof name === 'string' && hasDefault(schema)) Reflect.set(root, 'required', false);
  for (const inner of Object.values(root)) requireNoDefaults(inner);
}

const whoMay: Readonly<Record<Exclude<Requirement['kind'], 'member'>, string>> = {
  anyone: 'Needs no credential.',
  user: 'For any user, by token or API key.',
  loggedIn: 'For a user by token: an API key does not do.',
  platformAdmin: 'For the platform admin.',
  thing: 'For a thing, by its key or external key.',
  userOrThing: 'For a user, by token or API key, and for a thing, by its key or external key.',
};

/** Who may do an operation, in words. */
export function whoMayDo(requirement: Requirement): string {
  if (requirement.kind !== 'member') return whoMay[requirement.kind];
  const { role, of } = requirement;
  const where = entityPlaces[of];
  const place = of === where ? `the ${of}` : `the ${where} of the ${of}`;
  return `Needs the role \`${role}\` in ${place}, or one above it.`;
}

/** The owner of an id that stands after such a segment of a path. After `things` it is a thing: so with all plurals. */
const idsAfter: Readonly<Record<string, string>> = {
  keys: 'the API key',
  invite: 'the invite',
  senml: 'the thing whose messages they are',
  json: 'the thing whose messages they are',
};

function describeParameter(path: string, parameter: unknown): void {
  const { in: place, name, schema, description } = membersOf(parameter);
  if (!isObject(parameter) || description !== undefined) return;
  const said = membersOf(schema)['description'];
  if (typeof said === 'string') {
    Reflect.set(parameter, 'description', said);
    if (isObject(schema)) Reflect.deleteProperty(schema, 'description');
    return;
  }
  if (place !== 'path') return;
  const about = idInPath(path, String(name));
  if (about !== undefined) Reflect.set(parameter, 'description', about);
}

function idInPath(path: string, name: string): string | undefined {
  if (name === 'serial') return 'Serial number of the certificate: hex.';
  if (name === 'memberId') return 'Id of the member: that of a user.';
  const segments = path.split('/');
  const before = segments[segments.indexOf(`{${name}}`) - 1] ?? '';
  if (before === 'members') return 'Id of the member, of whatever kind.';
  const isTree =
    /^\/svcauth\/groups|\/groups\/(?:users|things)\/|\/(?:parents|children|members)$/.test(path);
  if (isTree) return 'Id of the hierarchical group: a ULID.';
  const of = idsAfter[before] ?? (before.endsWith('s') ? `the ${before.slice(0, -1)}` : undefined);
  return of === undefined ? undefined : `Id of ${of}: a UUID.`;
}

function addExamples(content: unknown, schemas: Members): void {
  for (const media of Object.values(membersOf(content))) {
    const { schema, example } = membersOf(media);
    if (!isObject(media) || example !== undefined || !isObject(schema)) continue;
    if (membersOf(schema)['format'] === 'binary') continue;
    Reflect.set(media, 'example', exampleOf(schema, schemas));
  }
}

function hasDefault(schema: unknown): boolean {
  return membersOf(schema)['default'] !== undefined;
}
