/*
 * The protocols by which messages come to an edge. Whoever receives a message writes the code into its row in the log,
 * and into what webhooks get of it; the store, filters, exports and webhooks tell the name. Messages of a restored backup
 * may have other names.
 */

/** A code is the place in this list, from 1 on, and never changes: new protocols are added at its end. */
export const protocols = ['http', 'ws', 'mqtt', 'line'] as const;
/** Told in descriptions. */
export const protocolsInWords =
  "`http`, `ws` over a stream, `mqtt`, or `line` for InfluxDB's line protocol";

export type Protocol = (typeof protocols)[number];

/** The code of a message that no thing sent. */
export const noProtocol = 0;

export const codeOfProtocol = (protocol: Protocol): number => protocols.indexOf(protocol) + 1;

/** Undefined: no protocol has this code. */
export const protocolOfCode = (code: number): Protocol | undefined => protocols[code - 1];

/** The type of a column of codes, which ClickHouse turns into names. */
export const protocolType = `Enum8(${protocols.map((name) => `'${name}' = ${codeOfProtocol(name)}`).join(', ')})`;
