/** The prefixes of the platform's services: every route answers with and without them. Commands have that of messages. */
const servicePrefix =
  /^\/(?:svc(?:things|auth|users|webhooks|certs)(?=\/)|http(?=\/(?:things|groups)\/[^/?]+\/commands(?:[/?]|$)))/;

/** A slash at the end of a path, which some clients write before a query. */
const endSlash = /^([^?]*[^?/])\/(?=\?|$)/;
/** Messages that are passed on, and pages: to them the slash may matter. */
const pages = /^\/(?:http|messages|docs|bench|queues)\//;

/** The path and the query of a request target, which may name its host before them. */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^https?:\/\/[^/?#]+/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** The URL of a request as routes are declared: without a service's prefix, and without a slash at the end. */
export function toRoute(url: string): string {
  const plain = pathOf(url).replace(servicePrefix, '');
  return pages.test(plain) ? plain : plain.replace(endSlash, '$1');
}
