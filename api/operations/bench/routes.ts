import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { answerFile, protect } from '../../http/browsers.ts';
import { handle } from '../../http/handle.ts';
import type { Api } from '../../http/schemas.ts';
import { service } from '../operations.ts';
import { openResults } from '../bench-results.ts';

const page = (name: string) => join(import.meta.dirname, 'page', name);
const uplot = (name: string) => createRequire(import.meta.url).resolve(`uplot/dist/${name}`);

const html = 'text/html; charset=utf-8';
const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';

/** The files of the page. Its addresses are relative: a proxy may have it anywhere. */
const files = [
  ['/bench', html, page('index.html')],
  ['/bench/main.js', script, page('main.js')],
  ['/bench/elements.js', script, page('elements.js')],
  ['/bench/figures.js', script, page('figures.js')],
  ['/bench/facts.js', script, page('facts.js')],
  ['/bench/overview.js', script, page('overview.js')],
  ['/bench/charts.js', script, page('charts.js')],
  ['/bench/style.css', style, page('style.css')],
  ['/bench/uplot.js', script, uplot('uPlot.iife.min.js')],
  ['/bench/uplot.css', style, uplot('uPlot.min.css')],
] as const;

/** Nothing from elsewhere, no script or style in the page itself. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page that shows what the benchmarks measured, and its figures. */
export function benchRoutes(api: Api, { benchResultsPath }: { benchResultsPath: string }): void {
  const readResults = openResults(benchResultsPath);
  api.register(async (pages) => {
    protect(pages, policy);

    for (const [path, type, file] of files) {
      const content = readFileSync(file, 'utf8');
      handle(pages, { ...service.viewBench, path }, async (request, reply) =>
        answerFile(request, reply, type, content),
      );
    }

    handle(pages, { ...service.viewBench, path: '/bench/' }, async (_request, reply) =>
      reply.redirect('../bench', 308),
    );

    handle(pages, service.viewBenchResults, async (request, reply) =>
      answerFile(request, reply, 'application/json; charset=utf-8', await readResults()),
    );
  });
}
