/** Where each service of the platform answers. Millrace answers all of them at one address. */
export type ServiceUrls = {
  auth: string;
  certs: string;
  things: string;
  users: string;
  webhooks: string;
  /** The HTTP adapter: what devices send to. */
  http: string;
  reader: string;
};

export const defaultUrl = 'http://localhost:8080';

/** The services of one base URL. */
export function serviceUrls(base: string = defaultUrl): ServiceUrls {
  const url = withoutEnd(base);
  return {
    auth: url,
    certs: url,
    things: url,
    users: url,
    webhooks: `${url}/svcwebhooks`,
    http: `${url}/http`,
    reader: `${url}/reader`,
  };
}

/** Paths are appended: what ends in a slash must not give two. */
export function withoutEnd(url: string): string {
  return url.replace(/\/+$/, '');
}

/** A path whose parts may hold anything. */
export function path(...parts: string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}
