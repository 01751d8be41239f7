import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build, stop } from 'esbuild';

/** A file of the console, as browsers get it: by what comes after `/console/` in its address. */
type ConsoleFile = { type: string; content: Buffer; gzipped: Buffer };

export type ConsoleFiles = {
  /** Named by their content, so that a browser may keep them for good. */
  assets: ReadonlyMap<string, ConsoleFile>;
  /** The first script and the styles of the page: names in `assets`. */
  script: string;
  style: string;
};

const main = fileURLToPath(new URL('./page/main.tsx', import.meta.url));
const compress = promisify(gzip);

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** For a server that is asked for no page. */
export const noConsole: ConsoleFiles = { assets: new Map(), script: '', style: '' };

/** Bundles the console, in memory. Each page of it is a script of its own, loaded when it is opened. */
export async function buildConsole(): Promise<ConsoleFiles> {
  const { outputFiles, metafile } = await build({
    entryPoints: [main],
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
    loader: { '.md': 'text' },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: '/console',
    absWorkingDir: dirname(main),
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
    assets.set(name, { type, content, gzipped: await compress(content, { level: 9 }) });
  }
  const outputs = Object.entries(metafile.outputs);
  const [script = '', first] =
    outputs.find(([, { entryPoint }]) => entryPoint === 'main.tsx') ?? [];
  return { assets, script: nameOf(script), style: nameOf(first?.cssBundle ?? '') };
}

const nameOf = (path: string) => path.split('/').at(-1) ?? '';
