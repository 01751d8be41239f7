import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ApiSettings } from '../api/config.ts';
import { IngestSettings } from '../ingest/config.ts';
import { startSettings } from '../infra/local/installation/config.ts';
import { WorkersSettings } from '../workers/config.ts';
import { bugs } from './faults/planted/bugs.ts';

/** The house rules. Each ban says what to use instead. */

const root = join(import.meta.dirname, '..');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const sources = tracked.filter((path) => path.endsWith('.ts'));
const production = sources.filter(
  (path) => !path.endsWith('.test.ts') && !path.startsWith('test/') && !path.startsWith('bench/'),
);
const room = (path: string) => path.split('/')[0] ?? '';

/** The files a source imports from this project. */
function imports(path: string): string[] {
  const specifiers = read(path).matchAll(
    /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'|new URL\(\s*'(\.{1,2}\/[^']+)'/g,
  );
  return [...specifiers].map((match) => {
    return normalize(join(dirname(path), match[1] ?? match[2] ?? ''));
  });
}

/** Lines of these files, comments and this file left out, that match. */
function lines(paths: string[], pattern: RegExp): string[] {
  return paths
    .filter((path) => path !== 'test/tidy.test.ts')
    .flatMap((path) =>
      read(path)
        .split('\n')
        .map((text, index) => ({ text, at: `${path}:${index + 1}` }))
        .filter(({ text }) => !/^\s*(\*|\/\/|\/\*)/.test(text) && pattern.test(text))
        .map(({ text, at }) => `${at} ${text.trim()}`),
    );
}

/** Whether there is such a file, and in it such a heading. */
function leads(path: string, heading: string | undefined): boolean {
  if (!existsSync(join(root, path))) return false;
  if (heading === undefined || !path.endsWith('.md')) return true;
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
  return headings.includes(heading);
}

describe('the house rules', () => {
  it('processes never import each other, and what they share imports none of them', () => {
    const processes = ['ingest', 'api', 'workers', 'cli'];
    const wrong = production.flatMap((path) =>
      imports(path)
        .filter((target) => processes.includes(room(target)) && room(target) !== room(path))
        .map((target) => `${path} imports ${target}: share it through schemas/ or infra/`),
    );
    expect(wrong).toEqual([]);
  });

  it('the environment is read in main files and handed to the one that parses it', () => {
    const allowed = /(^|\/)(main|start|migrate)\.ts$/;
    const others = production.filter((path) => !allowed.test(path));
    expect(lines(others, /process\.env/), 'take a setting from the config instead').toEqual([]);
  });

  it('nothing is printed past the log', () => {
    const allowed = ['infra/local/start.ts', 'infra/start/'];
    const others = production.filter((path) => !allowed.some((one) => path.startsWith(one)));
    expect(lines(others, /\bconsole\./), 'use the logger instead').toEqual([]);
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
    expect(importers('uWebSockets\\.js'), 'use ingest/http/exchange.ts').toEqual([
      'ingest/http/exchange.ts',
      'ingest/http/response.ts',
      'ingest/http/server.ts',
    ]);
    expect(importers('chdb'), 'use @clickhouse/client').toSatisfy((paths: string[]) =>
      paths.every((path) => path.startsWith('infra/local/embedded/clickhouse/')),
    );
  });

  it('every file is imported by another, or is started by a script', () => {
    const started = `${read('package.json')} ${sources.map(read).join('\n')}`;
    const imported = new Set(sources.flatMap(imports));
    const lonely = production.filter(
      (path) => !imported.has(path) && !started.includes(path) && !path.endsWith('config.ts'),
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

  it('every line of the log that infra/README.md explains is in the code', () => {
    const code = production.map(read).join('\n');
    const [, trouble = ''] = read('infra/README.md').split('## Trouble, by symptom');
    const cells = [...trouble.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell);
    const spans = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)]);
    // A line has several words; what differs in it stands as `…`.
    const texts = spans.map(([, text = '']) => text).filter((text) => /(\S+ ){2}/.test(text));
    const parts = texts.flatMap((text) => text.split('…')).map((part) => part.trim());
    expect(texts.length).toBeGreaterThan(10);
    expect(parts.filter((part) => !code.includes(part))).toEqual([]);
  });

  it('every setting has a row in infra/guide/settings.md, and every row a setting', () => {
    const schemas = [ApiSettings, IngestSettings, WorkersSettings, startSettings(true)];
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
