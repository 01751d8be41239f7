import type { Credential } from '../../auth/credential.ts';

/** A connection as MQTT needs it: over TCP, TLS or a WebSocket. */
export type Transport = {
  readonly over: 'tcp' | 'tls' | 'webSocket';
  /** The client's address, or that of the proxy before it. */
  readonly address: string;
  /** That of the client's certificate, whose authority was checked. */
  readonly certificate: Credential | undefined;
  /** The bytes are the transport's from now on. */
  write(bytes: Buffer): void;
  /** Bytes that the client has not taken yet. */
  bufferedBytes(): number;
  /** Reads no more until `resume`. What is on its way here may still come. */
  pause(): void;
  resume(): void;
  /** Closes it once the client has what was written. */
  end(): void;
};

/** Who takes connections. */
export type Acceptor = {
  /** Gives who is told of it; undefined: it is closed again. */
  opened(transport: Transport): Receiver | undefined;
};

/** Whom a transport tells. */
export type Receiver = {
  /** Bytes have come, which are the receiver's from now on. */
  received(bytes: Uint8Array): void;
  /** The client has taken all that was written. */
  drained(): void;
  closed(): void;
};
