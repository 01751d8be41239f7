import { Type } from 'typebox';
import { ConfigError } from '../process/config.ts';

/** `CORS_ORIGINS`: the origins whose pages may ask the API and the edge. */
export const corsSettings = { CORS_ORIGINS: Type.String({ default: '' }) };

type Headers = readonly (readonly [name: string, value: string])[];

/** The headers of a response that a page may read. */
const exposed: Headers[number] = [
  'Access-Control-Expose-Headers',
  [
    'Content-Disposition',
    'Link',
    'Location',
    'Millrace-Messages-Left-Out',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'WWW-Authenticate',
    'X-Request-Id',
  ].join(', '),
];

const preflight: Headers = [
  ['Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
  ['Access-Control-Allow-Headers', 'Authorization, Content-Type, Last-Event-ID, X-Request-Id'],
  // No browser keeps it for longer.
  ['Access-Control-Max-Age', '7200'],
];

/** The headers that tell browsers about pages of other origins. Cookies are never allowed. */
export class Cors {
  readonly #origins: ReadonlySet<string> | '*';

  constructor(origins: ReadonlySet<string> | '*') {
    this.#origins = origins;
  }

  allows(origin: string): boolean {
    return this.#origins === '*' || this.#origins.has(origin);
  }

  /** For the response to a page of this origin; '' for requests without one. */
  answer(origin: string): Headers {
    if (this.#origins === '*') return [['Access-Control-Allow-Origin', '*'], exposed];
    const vary = ['Vary', 'Origin'] as const;
    if (!this.#origins.has(origin)) return [vary];
    return [['Access-Control-Allow-Origin', origin], vary, exposed];
  }

  /** For the response to a preflight request. */
  preflight(origin: string): Headers {
    return this.allows(origin) ? [...this.answer(origin), ...preflight] : this.answer(origin);
  }
}

/** @throws ConfigError for an invalid origin. @returns undefined if no other origin is allowed. */
export function readCors({ CORS_ORIGINS: text }: { CORS_ORIGINS: string }): Cors | undefined {
  const origins = text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  if (origins.length === 0) return undefined;
  if (origins.length === 1 && origins[0] === '*') return new Cors('*');
  const wrong = origins.find((one) => URL.parse(one)?.origin !== one || !/^https?:/.test(one));
  if (wrong === undefined) return new Cors(new Set(origins));
  throw new ConfigError(
    `CORS_ORIGINS: ${wrong} is no origin such as https://app.example.com, and * stands alone`,
  );
}
