import type { Static, TSchema } from 'typebox';
import type { Shape } from './shape.ts';
import type { Credential, QueryValue, Transport } from './transport.ts';
import type { ServiceUrls } from './urls.ts';

/** What every resource of the client is made of. */
export type Service = {
  transport: Transport;
  urls: ServiceUrls;
  /** Who asks, unless a method says otherwise. */
  as: Credential | undefined;
};

/** The query of a list as its schema has it; `metadata` is an object here. */
export type ListQuery<Query extends TSchema> = {
  [Name in Exclude<keyof Static<Query>, 'metadata'>]?: Static<Query>[Name] | undefined;
} & { metadata?: Record<string, unknown> | undefined };

/** A query, as the transport takes it. */
export function toQuery(query: object): Record<string, QueryValue> {
  return { ...query };
}

/** Reads what answers at a URL. */
export function read<Type extends object>(
  { transport, as }: Service,
  url: string,
  shape: Shape<Type>,
  query: object = {},
): Promise<Type> {
  return transport.json({ method: 'GET', url, as, query: toQuery(query), reads: true }, shape);
}
