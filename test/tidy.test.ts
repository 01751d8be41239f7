import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ApiSettings } from '../api/config.ts';
import { IngestSettings } from '../ingest/config.ts';
import { startSettings } from '../infra/local/installation/config.ts';
import { copySettings } from '../infra/migrations/copy.ts';
import { migrateSettings } from '../infra/migrations/migrate.ts';
import { WorkersSettings } from '../workers/config.ts';
import { bugs } from './faults/planted/bugs.ts';
import { longFunctions } from './tidy/functions.ts';
import { loops } from './tidy/rooms.ts';
import {
  imports,
  leads,
  lines,
  production,
  read,
  roomOf,
  sources,
  tracked,
  words,
} from './tidy/sources.ts';

/** The house rules. Each ban says what to use instead. */

/** Which folders and functions break a rule, with the reason: nothing joins these lists without one. */
const exceptions = {
  functions: {
    'api/main.ts await': 'the story of the process, top to bottom',
    'ingest/codecs/senml/senml.ts #record': 'the hot path: a call for each record costs',
  },
};

/** Words that the glossary has another one for. */
const wrongWords: readonly { word: RegExp; instead: string; unless?: RegExp }[] = [
  {
    word: /\bbehind\b/i,
    instead: '"after" or "before", of places in a log and of times',
    // What a process leaves behind, and what stands behind a proxy, is said so; the rest has been an answer for long.
    unless:
      /\b(left|leav\w+)\b.* behind|behind (a|one of our|HAProxy|\$command)\b|behind-a-proxy|goes on behind its end/i,
  },
  { word: /\bput(ting)? aside\b/i, instead: '"deferred"' },
  { word: /\balarmed\b/i, instead: '"halted"' },
  { word: /\bshut\b(?! down)/i, instead: '"open", of a circuit' },
  { word: /\bprobing\b/i, instead: '"half-open"' },
  { word: /\bpatience/i, instead: '"retry until back", or name the limit of time' },
  { word: /\bverdicts?\b/i, instead: '"insert decision", or "findings"' },
  { word: /\b(trails?|stretch(es)?)\b/i, instead: '"durability tracker", "log range" or "span"' },
  { word: /\bsurroundings\b/i, instead: '"CLI context", or what they are' },
  { word: /\bknown-paths\b|\bmade-authority\b/i, instead: '"allowed methods", "local CA"' },
  { word: /\bsettle[A-Z(](?!undles)/, instead: 'what is done: choose, record, wait for' },
  {
    word: /(\bis|\bare|\bwas) (nobody|no other)['’]s\b|\btold to nobody\b/i,
    instead: 'whose it is',
  },
  {
    word: /\bbytes a record\b|\bmillion records['’] CPU\b|\bCPU a million\b/i,
    instead: '"bytes per record", "CPU seconds per million records"',
    // Figures of older runs are compared under their new names.
    unless: /^bench\/harness\/child\.ts/,
  },
];

const depthMax = 4;
const linesMax = 60;
const mainLinesMax = 120;

const withFolders = (path: string) =>
  path.split('/').map((_part, at, parts) => parts.slice(0, at + 1).join('/'));

describe('the house rules', () => {
  it('processes never import each other, and what they share imports none of them', () => {
    const processes = ['ingest', 'api', 'workers', 'cli'];
    const wrong = production.flatMap((path) =>
      imports(path)
        .filter((target) => processes.includes(roomOf(target)) && roomOf(target) !== roomOf(path))
        .map((target) => `${path} imports ${target}: share it through schemas/ or infra/`),
    );
    expect(wrong).toEqual([]);
  });

  it('the entries of a folder, files and folders, form no loop of imports, types included', () => {
    const found = loops(sources.filter((path) => !path.endsWith('.test.ts')));
    expect(found, 'move what both need to a file that both may import').toEqual([]);
  });

  it(`a file lies at most ${depthMax} folders deep`, () => {
    const deep = new Set(
      tracked
        .map((path) => path.split('/').slice(0, -1))
        .filter((folders) => folders.length > depthMax)
        .map((folders) => folders.slice(0, depthMax + 1).join('/')),
    );
    expect([...deep], 'fold the folder into the one around it').toEqual([]);
  });

  it(`a function has at most ${linesMax} lines`, () => {
    // A list of routes is a list, as long as it may be.
    const isList = (name: string) => name.endsWith('Routes');
    const long = longFunctions(production, linesMax)
      .filter(({ name }) => !isList(name))
      .map(({ path, name }) => `${path} ${name}`);
    expect(long.toSorted(), 'name its parts').toEqual(Object.keys(exceptions.functions).toSorted());
  });

  it(`a main file is a story of fewer than ${mainLinesMax} lines`, () => {
    const long = production
      .filter((path) => /(^|\/)main\.ts$/.test(path))
      .filter((path) => read(path).split('\n').length > mainLinesMax);
    expect(long, 'give its parts to the rooms that they are of').toEqual([]);
  });

  it('words have the meaning that infra/GLOSSARY.md gives them', () => {
    const documents = tracked.filter((path) => /\.(ts|md|sql)$/.test(path));
    const wrong = wrongWords.flatMap(({ word, instead, unless }) =>
      words(documents, word)
        .filter((line) => !line.startsWith('infra/GLOSSARY.md') && unless?.test(line) !== true)
        .map((line) => `${line}: say ${instead}`),
    );
    expect(wrong).toEqual([]);
  });

  it('every path that a document names is there', () => {
    // A reader makes these by the instructions, or an install does.
    const isMade =
      /schemas\/client\/generated|sites?(\.test)?\.ts|\/sites\/|NNNN|infra\/deploy\/(secrets|\.env|kubernetes\/mine)/;
    const known = new Set(tracked.flatMap(withFolders));
    const wrong = tracked
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) =>
        [
          ...read(path).matchAll(
            /`((?:api|bench|cli|infra|ingest|schemas|test|workers)\/[\w./-]+)`/g,
          ),
        ]
          .map(([, named = '']) => named.replace(/\/$/, ''))
          .filter((named) => !known.has(named) && !isMade.test(named))
          .map((named) => `${path} names ${named}`),
      );
    expect(wrong).toEqual([]);
  });

  it('the environment is read in main files and handed to the one that parses it', () => {
    const allowed = /(^|\/)(main|start|migrate|copy|retire|demo)\.ts$/;
    const others = production.filter((path) => !allowed.test(path));
    expect(lines(others, /process\.env/), 'take a setting from the config instead').toEqual([]);
  });

  it('nothing is printed past the log', () => {
    const others = production.filter((path) => path !== 'infra/local/start.ts');
    expect(lines(others, /\bconsole\./), 'use the logger instead').toEqual([]);
  });

  it('what removes something is called by the one dialog of the console that asks first', () => {
    const asks = ['api/console/page/client/call.ts', 'api/console/page/ui/dialog.tsx'];
    const page = production.filter((path) => path.startsWith('api/console/page/'));
    const others = page.filter((path) => !asks.includes(path));
    expect(lines(others, /\bcallAsked\b/), 'use Question instead').toEqual([]);
    const sends = ['api/console/page/client/send.ts', 'api/console/page/client/session.ts'];
    const direct = lines(
      page.filter((path) => !sends.includes(path)),
      /\bfetch\(/,
    );
    expect(direct, 'call the operation by its name').toEqual([]);
  });

  it('types carry the meaning', () => {
    const bans = [
      [/(: any\b|as any\b|<any>|as unknown as)/, 'parse at the border instead'],
      [/@ts-(ignore|expect-error|nocheck)/, 'fix the type instead'],
      [/^\s*(export )?(const )?enum /, 'use a string union instead'],
    ] as const;
    for (const [pattern, instead] of bans) expect(lines(sources, pattern), instead).toEqual([]);
  });

  it('no test is skipped, left alone or only promised', () => {
    const tests = sources.filter((path) => path.endsWith('.test.ts'));
    expect(lines(tests, /\b(it|test|describe)\.(skip|only|todo)\b/)).toEqual([]);
  });

  it('no work is left as a note', () => {
    expect(lines(sources, /\b(TODO|FIXME|XXX)\b/), 'do it, or tell it').toEqual([]);
  });

  it('each outside library with an interface of its own has one importer', () => {
    const importers = (name: string) =>
      production.filter((path) => new RegExp(`from '${name}'`).test(read(path)));
    expect(importers('uWebSockets\\.js'), 'use ingest/doors/http/exchange.ts').toEqual([
      'ingest/doors/http/exchange.ts',
      'ingest/doors/http/response.ts',
      'ingest/doors/influx/routes.ts',
      'ingest/doors/mqtt/websocket.ts',
      'ingest/doors/server.ts',
      'ingest/doors/stream/websocket.ts',
    ]);
    expect(importers('chdb'), 'use @clickhouse/client').toSatisfy((paths: string[]) =>
      paths.every((path) => path.startsWith('infra/local/clickhouse/')),
    );
  });

  it('every file is imported by another, or is started by a script', () => {
    const started = `${read('package.json')} ${sources.map(read).join('\n')}`;
    const imported = new Set(sources.flatMap(imports));
    const lonely = production.filter(
      (path) => !imported.has(path) && !started.includes(path) && !/(config|\.d)\.ts$/.test(path),
    );
    expect(lonely, 'import it, start it, or delete it').toEqual([]);
  });

  it('every link in the documents leads somewhere, to a heading too', () => {
    const documents = tracked.filter((path) => path.endsWith('.md'));
    const dead = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]*))?\)/g)]
        .map(([, file = '', heading]) => {
          const target = file === '' ? path : normalize(join(dirname(path), file));
          return { target, heading };
        })
        .filter(({ target, heading }) => !leads(target, heading))
        .map(({ target, heading }) => `${path} → ${target}${heading ? `#${heading}` : ''}`),
    );
    expect(dead).toEqual([]);
  });

  it('every line of the log that the page of troubles explains is in the code', () => {
    const code = production.map(read).join('\n');
    const trouble = read('infra/guide/operating/trouble.md');
    const cells = [...trouble.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell);
    const spans = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)]);
    // A line has several words; what differs in it stands as `…`.
    const texts = spans.map(([, text = '']) => text).filter((text) => /(\S+ ){2}/.test(text));
    const parts = texts.flatMap((text) => text.split('…')).map((part) => part.trim());
    expect(texts.length).toBeGreaterThan(10);
    expect(parts.filter((part) => !code.includes(part))).toEqual([]);
  });

  it('every setting has a row in infra/guide/settings.md, and every row a setting', () => {
    const ofOperators = [migrateSettings, copySettings];
    const ofProcesses = [ApiSettings, IngestSettings, WorkersSettings, startSettings(true)];
    const schemas = [...ofProcesses, ...ofOperators];
    const settings = new Set(schemas.flatMap(({ properties }) => Object.keys(properties)));
    const tables = read('infra/guide/settings.md').matchAll(
      /^\| variable \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm,
    );
    const rows = [...tables].flatMap(([, text = '']) => text.trimEnd().split('\n'));
    const named = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/[A-Z_]+/g) ?? []);
    expect(named.toSorted()).toEqual([...settings].toSorted());
  });

  it('packages are pinned exactly', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    const loose = Object.entries<string>({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^(npm:[\w@/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('each bug that is planted by hand has its place in the code, and tests that should notice', () => {
    const lost = bugs.filter(
      ({ file, find, tests }) =>
        !tracked.includes(file) ||
        read(file).split(find).length !== 2 ||
        !tests.every((path) => tracked.includes(path)),
    );
    expect(lost.map(({ name }) => name)).toEqual([]);
  });
});
