import { createHash } from 'node:crypto';
import packageJson from '../../../package.json' with { type: 'json' };
import { protect } from '../../http/browsers.ts';
import type { Api } from '../../http/schemas.ts';

/** Where there is something to see for who has only the address. */
const links = [
  ['docs', 'The API: its operations, to read and to try'],
  ['docs/json', 'The same as an OpenAPI document'],
  ['bench', 'What the benchmarks measured'],
  ['queues', 'Webhooks and mail that wait, for the platform’s admin'],
  ['health', 'Whether the service can do its job'],
] as const;

const style = `
body { margin: 0 auto; max-width: 40rem; padding: 2rem 1rem; background: #151a21; color: #e6e9ee;
  font: 16px/1.5 system-ui, sans-serif }
a { color: #7cb3ff }
dt { margin-top: 1rem }
dd { margin: 0 }
`;

/** Nothing from anywhere, but this style. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

// Relative, for a proxy may have it anywhere.
const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Millrace</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Millrace</h1>
<p>${packageJson.description}</p>
<dl>
${links.map(([path, about]) => `<dt><a href="${path}">/${path}</a></dt>\n<dd>${about}</dd>`).join('\n')}
</dl>
</main>
</body>
</html>
`;

const list = {
  name: 'Millrace',
  version: packageJson.version,
  links: Object.fromEntries(links.map(([path]) => [path, `/${path}`])),
};

/** The root: where to go from here, as a page for browsers and as JSON for others. */
export function homeRoutes(api: Api): void {
  api.register(async (pages) => {
    protect(pages, policy);
    pages.route({
      method: 'GET',
      url: '/',
      config: { operation: 'viewHome' },
      handler: async (request, reply) => {
        const isBrowser = request.headers.accept?.includes('text/html') === true;
        reply.header('vary', 'Accept');
        return isBrowser ? reply.type('text/html; charset=utf-8').send(page) : list;
      },
    });
  });
}
