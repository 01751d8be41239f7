import { describe, expect, it } from 'vitest';
import { unusedExports } from './exports.ts';
import { lines, production, read, sources, tracked, words } from './sources.ts';
import { statesOfDiagram, statesOfUnion } from './states.ts';

/** One way for each thing. Each ban says what to use instead. */

/** Which files break a rule for good, with the reason: nothing joins these lists without one. */
const exceptions = {
  sniffs: {
    'api/devices/webhooks/routes.ts': 'a body from outside',
    'api/http/query/query.ts': 'a JSON schema',
    'api/operations/docs/routes.ts': 'what @fastify/swagger gives',
    'cli/commands/messages/listen.ts': 'a message of either format, from outside',
    'cli/invocation/failures.ts': 'an error of any library',
    'infra/local/clickhouse/http/answer.ts': 'a stream of zlib or of HTTP',
    'infra/local/supervisor/lines.ts': 'a line that any process printed',
    'infra/runtime/history/figures.ts': 'what the library of metrics gives',
    'infra/runtime/process/config.ts': "a validator's errors",
    'schemas/messages/query.ts': 'a JSON schema',
  },
  // Values that others see are written as they were promised.
  spellings: {
    'api/budgets/budget.ts': 'codes of errors',
    'api/console/page/shell/door.tsx': "HTML's own values",
    'api/messages/backup/statements.ts': "ClickHouse's own names",
    'api/devices/certs/sql.ts': 'names of columns',
    'cli/provision/kind.ts': 'names of members in a body',
    'infra/local/clickhouse/http/answer.ts': "ClickHouse's own names",
    'ingest/doors/http/certificate-proxies.ts': 'names of headers',
    'workers/webhooks/call/failures.ts': 'labels of a metric, and of traces',
    'workers/webhooks/delivery/delivery.ts': 'labels of a metric',
    'workers/webhooks/metrics.ts': 'labels of metrics',
  },
};

const without = (paths: readonly string[], excepted: object) =>
  paths.filter((path) => !Object.hasOwn(excepted, path));

describe('one way for each thing', () => {
  it('no comment begins with "What" and no noun after it', () => {
    const found = words(production, /^\s*(\/\/|\/\*\*|\*) What [a-z]/);
    expect(found, 'begin with who does it, or with its name').toEqual([]);
  });

  it('what writes log lines is a logger; the log holds messages', () => {
    const found = lines(production, /\blog: Logger\b/);
    expect(found, 'name it logger').toEqual([]);
  });

  it('a value of a union of ours is told by its kind, not by which members it has', () => {
    const found = lines(without(production, exceptions.sniffs), /'[\w$]+' in [\w$.]+\b/)
      // An error of any library, and what was parsed from outside.
      .filter((line) => !/instanceof Error|typeof .* 'object'|'code' in error/.test(line));
    expect(found, 'give the union a kind').toEqual([]);
  });

  it('values of unions are written in one way: givenUp', () => {
    const word = "'[a-z]+([ _-][a-z]+)+'";
    const spelled = new RegExp(
      String.raw`(?<!\|)\| ${word}|${word} \|(?!\|)|\b(kind|state|is): ${word}`,
    );
    const found = lines(without(production, exceptions.spellings), spelled)
      // Some of the columns of a row, or of the codes of errors.
      .filter((line) => !/\b(Pick|Omit|Extract|Exclude)</.test(line));
    expect(found, 'write it like a name').toEqual([]);
  });

  it('the member that tells the values of a union apart is its kind', () => {
    const member = /(?:^\s*\||^(?:export )?type \w+ =.* \|) \{ (?:readonly )?(\w+): '/;
    // What the interface calls format, and the place of a thing in its org, are data as well.
    const isData = /\| \{ (?:readonly )?(kind|format|of): '/;
    const found = lines(production, member).filter((line) => !isData.test(line));
    expect(found, 'name it kind').toEqual([]);
  });

  it('the limits of a process are one object, and assertions hold them against each other', () => {
    const others = tracked
      .filter((path) => /(^|\/)limits\.ts$/.test(path))
      .filter((path) => {
        const text = read(path);
        const exported = [...text.matchAll(/^export .*/gm)].map(([line]) => line);
        const isOne = exported.length === 1 && exported[0] === 'export const limits = {';
        return !isOne || !text.includes('} as const') || /^if \(.*\) throw/m.test(text);
      });
    expect(others, 'write it like ingest/limits.ts').toEqual([]);
  });

  it('a file exports only what another one imports', () => {
    // The compiler of AssemblyScript makes a module of its files, whose parts call each other.
    const own = sources.filter((path) => !path.includes('/assembly/') && !path.endsWith('.d.ts'));
    expect(unusedExports(own, sources), 'keep it in the file').toEqual([]);
  });

  it.each([
    ['The states of a batch', 'ingest/sinks/store/progress.ts', 'BatchState'],
    ['The states of a delivery', 'workers/webhooks/delivery/delivery.ts', 'DeliveryState'],
    ['The circuit of an endpoint', 'workers/webhooks/admission/circuit.ts', 'Circuit'],
  ])('%s: infra/ARCHITECTURE.md draws those that %s has', (heading, path, type) => {
    expect(statesOfDiagram('infra/ARCHITECTURE.md', heading)).toEqual(statesOfUnion(path, type));
  });

  it('every path that a comment names is there', () => {
    const named =
      /\b(?:api|bench|cli|infra|ingest|schemas|test|workers)\/[\w./-]*\w\.(?:tsx?|sql|md|js|lua|sh)\b/g;
    const known = new Set(tracked);
    const comments = words(
      tracked.filter((path) => /\.(tsx?|sql)$/.test(path)),
      /^\s*(\/\/|\/\*|\*|--)|\s\/\/ /,
    );
    const wrong = comments.filter((line) => {
      const text = line.slice(line.indexOf(' '));
      return (text.match(named) ?? []).some((path) => !known.has(path));
    });
    expect(wrong, 'name it as it is called now').toEqual([]);
  });
});
