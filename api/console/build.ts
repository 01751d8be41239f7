import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build, type Plugin, stop } from 'esbuild';
import { readOutlines } from './outlines.ts';

/** A file of the console, as browsers get it: by what comes after `/console/` in its address. */
type ConsoleFile = { type: string; content: Buffer; gzipped?: Buffer };

export type ConsoleFiles = {
  /** Named by their content, so that a browser may keep them for good. */
  assets: ReadonlyMap<string, ConsoleFile>;
  /** The first script, the styles, and the font of the page: names in `assets`. */
  script: string;
  style: string;
  font: string;
  /** The styles that all pages of Millrace share, those outside of the console too. */
  tokens: string;
};

const main = fileURLToPath(new URL('./page/main.tsx', import.meta.url));
const page = dirname(main);
const compress = promisify(gzip);

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
};

/** It has nearly all that is written, so the page asks for it at once. */
const firstFont = 'inter-latin-wght-normal-';

/** For a server that is asked for no page. */
export const noConsole: ConsoleFiles = {
  assets: new Map(),
  script: '',
  style: '',
  font: '',
  tokens: '',
};

const outlines: Plugin = {
  name: 'outlines',
  setup(building) {
    building.onResolve({ filter: /^outlines$/ }, ({ path }) => ({ path, namespace: path }));
    building.onLoad({ filter: /./, namespace: 'outlines' }, () => ({
      contents: JSON.stringify(readOutlines()),
      loader: 'json',
    }));
  },
};

/** Bundles the console, in memory. Each page of it is a script of its own, loaded when it is opened. */
export async function buildConsole(): Promise<ConsoleFiles> {
  const { outputFiles, metafile } = await build({
    entryPoints: ['main.tsx', 'style/tokens.css'],
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
    loader: { '.md': 'text', '.woff2': 'file' },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    outdir: '/console',
    absWorkingDir: page,
    plugins: [outlines],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  // Its helper process is not needed again.
  await stop();
  const assets = new Map<string, ConsoleFile>();
  for (const { path, contents } of outputFiles) {
    const content = Buffer.from(contents);
    const name = nameOf(path);
    const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    // Fonts are compressed already.
    const gzipped = name.endsWith('.woff2')
      ? {}
      : { gzipped: await compress(content, { level: 9 }) };
    assets.set(name, { type, content, ...gzipped });
  }
  const outputs = Object.entries(metafile.outputs);
  const of = (entry: string) => outputs.find(([, { entryPoint }]) => entryPoint === entry) ?? [];
  const [script = '', first] = of('main.tsx');
  const [tokens = ''] = of('style/tokens.css');
  return {
    assets,
    script: nameOf(script),
    style: nameOf(first?.cssBundle ?? ''),
    font: [...assets.keys()].find((name) => name.startsWith(firstFont)) ?? '',
    tokens: assets.get(nameOf(tokens))?.content.toString() ?? '',
  };
}

const nameOf = (path: string) => path.split('/').at(-1) ?? '';
