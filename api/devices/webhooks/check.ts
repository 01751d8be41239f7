import type { AddressesAllowed } from '../../../infra/runtime/network/addresses-allowed.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import {
  messageTypes,
  type WebhookChange,
  whyReserved,
} from '../../../schemas/resources/webhook.ts';
import { limits } from '../../limits.ts';

/** RFC 9110 §5.1. */
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
/** RFC 9110 §5.5: what every receiver reads alike. Spaces at the ends are no part of a value. */
const headerValue = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/;

/**
 * Checks what a schema can't check, and what it could only refuse as "must match pattern", which does not say what is
 * wrong: names and values of headers, the URL, the secret. `place` is the path to the webhook in the body.
 *
 * @throws DomainError `malformed` naming the member.
 */
export function checkWebhook(
  addresses: AddressesAllowed,
  { url, headers, secret }: WebhookChange,
  place = '',
): void {
  const problem =
    (url === undefined ? undefined : problemOfUrl(addresses, url)) ??
    problemOfHeaders(headers ?? {}) ??
    (secret === undefined || secret === null ? undefined : problemOfSecret(secret));
  if (problem !== undefined) throw new DomainError('malformed', `${place}${problem}`);
}

function problemOfUrl(addresses: AddressesAllowed, text: string): string | undefined {
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text)) return 'url must be an HTTP or HTTPS address';
  const url = URL.parse(text);
  if (url === null) return 'url is no URL';
  if (addresses.refusesUrl(url)) return 'url leads to an address that is not allowed';
  return url.username === '' && url.password === ''
    ? undefined
    : 'url must be without user and password: give an Authorization header';
}

function problemOfHeaders(headers: Record<string, string>): string | undefined {
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    const plain = name.toLowerCase();
    if (!headerName.test(name)) return `headers.${shown(name)} is no name of a header`;
    const why = whyReserved(name);
    if (plain === 'content-type' && messageTypes.includes(value)) continue;
    if (why !== undefined) return `headers.${name} can not be set: ${why}`;
    if (seen.has(plain)) return `headers.${name} is given twice`;
    if (!headerValue.test(value)) return `headers.${name} ${problemOfValue(value)}`;
    seen.add(plain);
    bytes += name.length + value.length;
  }
  return bytes > limits.webhookHeaderBytesMax
    ? `headers hold more than ${limits.webhookHeaderBytesMax} bytes`
    : undefined;
}

function problemOfValue(value: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  const [foreign] = /[^\t\x20-\x7e]/u.exec(value) ?? [];
  return foreign === undefined
    ? 'begins or ends with a space, which receivers take off'
    : `holds ${JSON.stringify(foreign)}: a header holds visible ASCII and spaces; encode all else, for example as base64`;
}

/**
 * A secret in the form of Standard Webhooks must be valid base64, and its decoded bytes are counted: they are the key.
 */
function problemOfSecret(secret: string): string | undefined {
  const isStandard = secret.startsWith('whsec_');
  const isBase64 = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  if (isStandard && !isBase64.test(secret)) return 'secret must be base64 after whsec_';
  const bytes = isStandard
    ? Buffer.byteLength(secret.slice('whsec_'.length), 'base64')
    : Buffer.byteLength(secret);
  return bytes < limits.webhookSecretBytesMin
    ? `secret must have at least ${limits.webhookSecretBytesMin} bytes`
    : undefined;
}

/** A name is a client's own text: it is quoted and cut. */
function shown(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}
