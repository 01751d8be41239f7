import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import packageJson from '../../package.json' with { type: 'json' };
import { DomainError } from '../../schemas/http/errors.ts';
import { answerFile, protect } from '../http/browsers.ts';
import { handle } from '../http/handle.ts';
import type { Api } from '../http/schemas.ts';
import type { ConsoleFiles } from './build.ts';
import { consoleOperations } from './operations.ts';

/** Where programs may go from here. */
const links = ['docs', 'docs/json', 'bench', 'queues', 'health'] as const;

const list = {
  name: 'Millrace',
  version: packageJson.version,
  links: Object.fromEntries(links.map((path) => [path, `/${path}`])),
};

const read = (name: string) => readFileSync(join(import.meta.dirname, 'page', name), 'utf8');

const AssetParams = Type.Object({ name: Type.String() });

/** The console: a page for browsers at the root, where programs get a list of links, and the page's files. */
export function consoleRoutes(api: Api, { consoleFiles }: { consoleFiles: ConsoleFiles }): void {
  const { assets, script, style, font, tokens } = consoleFiles;
  const template = read('index.html');
  const index = template
    .replace('{script}', `console/${script}`)
    .replace('{style}', `console/${style}`)
    .replace('{font}', `console/${font}`);
  api.register(async (pages: Api) => {
    const inline = inlineOf(template);
    protect(pages, policyOf(inline));

    handle(pages, consoleOperations.viewHome, async (request, reply) => {
      const isBrowser = request.headers.accept?.includes('text/html') === true;
      reply.header('vary', 'Accept');
      return isBrowser ? answerFile(request, reply, 'text/html; charset=utf-8', index) : list;
    });

    // For pages outside of the bundle, which can't know a name by content.
    handle(pages, consoleOperations.enterConsole, async (request, reply) =>
      answerFile(request, reply, 'text/css; charset=utf-8', tokens),
    );
    const theme = { ...consoleOperations.enterConsole, path: '/console/theme.js' };
    handle(pages, theme, async (request, reply) =>
      answerFile(request, reply, 'text/javascript; charset=utf-8', inline),
    );

    const asset = {
      ...consoleOperations.enterConsole,
      path: '/console/:name',
      params: AssetParams,
    };
    handle(pages, asset, async (request, reply) => {
      const file = assets.get(request.params.name);
      if (file === undefined) throw new DomainError('not_found', 'path');
      reply.type(file.type).header('cache-control', 'public, max-age=31536000, immutable');
      if (file.gzipped === undefined) return reply.send(file.content);
      reply.header('vary', 'Accept-Encoding');
      const takesGzip = request.headers['accept-encoding']?.includes('gzip') === true;
      if (!takesGzip) return reply.send(file.content);
      return reply.header('content-encoding', 'gzip').send(file.gzipped);
    });
  });
}

/** The script in the page itself: it sets the theme before anything is drawn. */
function inlineOf(html: string): string {
  const [, inline = ''] = /<script>(.*?)<\/script>/s.exec(html) ?? [];
  return inline;
}

/** Nothing from elsewhere; in the page itself only that script. */
function policyOf(inline: string): string {
  const hash = createHash('sha256').update(inline).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
