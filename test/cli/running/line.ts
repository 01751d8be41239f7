import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { eventually } from '../../support/eventually.ts';

/** One connection, over which bytes go as they are. */
export class Line {
  readonly #socket: Socket;
  #text = '';
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#text += text;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#isClosed = true;
    });
  }

  /** To the port of a URL on this machine; with `tls`, over TLS. */
  static open(url: string, tls?: ConnectionOptions, localAddress = '127.0.0.1'): Line {
    const { port } = new URL(url);
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress });
    return new Line(tls === undefined ? socket : connectTls({ ...tls, socket }));
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Everything that came, once it holds so many answers, or the other side has closed. */
  async answers(count: number): Promise<string> {
    await eventually(() => this.#isClosed || this.statuses().length >= count);
    return this.#text;
  }

  /** Everything that came, once the other side has closed. */
  async closed(): Promise<string> {
    await eventually(() => this.#isClosed);
    return this.#text;
  }

  /** Of the answers so far. */
  statuses(): number[] {
    const lines = this.#text.matchAll(/HTTP\/1\.[01] (\d{3}) [A-Za-z ]*\r\n/g);
    return [...lines].map(([, status]) => Number(status));
  }

  end(): void {
    this.#socket.destroy();
  }
}
