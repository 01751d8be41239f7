import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Every file of the project. */
export const tracked = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter((path) => path !== '' && exists(path));

function exists(path: string): boolean {
  return existsSync(join(root, path));
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The room that a path begins with. */
export const roomOf = (path: string): string => path.split('/')[0] ?? '';

export const sources = tracked.filter((path) => /\.tsx?$/.test(path));

/** What runs at users: no test, no benchmark. */
export const production = sources.filter(
  (path) => !path.endsWith('.test.ts') && !path.startsWith('test/') && !path.startsWith('bench/'),
);

/** The files of this project that a source imports, types included. */
export function imports(path: string): string[] {
  const specifiers = read(path).matchAll(
    /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'|new URL\(\s*'(\.{1,2}\/[^']+)'/g,
  );
  return [...specifiers].map((match) => {
    const target = normalize(join(dirname(path), match[1] ?? match[2] ?? ''));
    // AssemblyScript takes names of files without their end.
    return exists(`${target}.ts`) ? `${target}.ts` : target;
  });
}

/** Lines of these files, comments and the house rules left out, that match. */
export function lines(paths: readonly string[], pattern: RegExp): string[] {
  return paths
    .filter((path) => !path.startsWith('test/tidy'))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .map((text, index) => ({ text, at: `${path}:${index + 1}` }))
        .filter(({ text }) => !/^\s*(\*|\/\/|\/\*)/.test(text) && pattern.test(text))
        .map(({ text, at }) => `${at} ${text.trim()}`),
    );
}

/** The same, comments included. */
export function words(paths: readonly string[], pattern: RegExp): string[] {
  return paths
    .filter((path) => !path.startsWith('test/tidy'))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((text, index) =>
          pattern.test(text) ? [`${path}:${index + 1} ${text.trim()}`] : [],
        ),
    );
}

/** Whether there is such a file, and in it such a heading. */
export function leads(path: string, heading: string | undefined): boolean {
  if (!exists(path)) return false;
  if (heading === undefined || !path.endsWith('.md')) return true;
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
  return headings.includes(heading);
}
