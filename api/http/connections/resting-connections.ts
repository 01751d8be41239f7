import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../../../infra/runtime/network/client-address.ts';
import { limits } from '../../limits.ts';
import type { Api } from '../schemas.ts';
import { hasBody } from './upload-timeout.ts';

/**
 * Lets connections rest that cost too much: nothing more is read from one for a while after its answer. A
 * refusal is cheap, but thousands a second from one client that does not wait as it was told are not; nor are
 * large bodies, one after the other. The connection of a proxy never rests: it carries others as well.
 */
export function restConnections(api: Api): void {
  const refusals = new Refusals();
  const resting = new WeakMap<Socket, NodeJS.Timeout>();
  api.addHook('onResponse', async (request, reply) => {
    const { socket } = request.raw;
    const isDirect = networkOf(request.clientAddress) === networkOf(socket.remoteAddress ?? '');
    const ms = Math.max(restAfterBody(request), refusals.restAfter(request, reply));
    if (ms === 0 || !isDirect || socket.destroyed) return;
    // After Node has begun to throw away what nobody read of the body, which lets the connection read on.
    setImmediate(() => {
      socket.pause();
      // Of requests that came together the last one's rest counts.
      clearTimeout(resting.get(socket));
      resting.set(socket, setTimeout(() => socket.resume(), ms).unref());
    });
  });
}

/** Refusals by network in the second that goes on, and until when its connections rest. */
class Refusals {
  #second = 0;
  readonly #counts = new Map<string, number>();
  readonly #restUntil = new Map<string, number>();

  restAfter(request: FastifyRequest, reply: FastifyReply): number {
    if (reply.statusCode !== 429 && reply.statusCode !== 503) return 0;
    const now = performance.now();
    this.#forget(now);
    const network = networkOf(request.clientAddress);
    const count = (this.#counts.get(network) ?? 0) + 1;
    this.#counts.set(network, count);
    if (count <= limits.refusalsFreePerSecond) return 0;
    // One after the other: what was refused at once would else come again at once.
    const last = this.#restUntil.get(network) ?? 0;
    const until = Math.min(
      Math.max(last + limits.refusalApartMs, now + limits.refusalRestMs),
      now + limits.refusalRestMsMax,
    );
    this.#restUntil.set(network, until);
    return until - now;
  }

  #forget(now: number): void {
    const second = Math.floor(now / 1_000);
    if (second === this.#second) return;
    this.#second = second;
    this.#counts.clear();
    for (const [network, until] of this.#restUntil) {
      if (until < now) this.#restUntil.delete(network);
    }
  }
}

/** In milliseconds: as long as a body of this size may take. */
function restAfterBody({ raw, routeOptions }: FastifyRequest): number {
  const { config, bodyLimit } = routeOptions;
  const { operation } = config;
  if (!hasBody(raw) || operation?.anyLength || operation?.passedOn) return 0;
  const bytes = Number(raw.headers['content-length'] ?? bodyLimit);
  return bytes <= limits.bodyFreeBytes
    ? 0
    : Math.min(limits.refusalRestMs, bytes / limits.bodyBytesPerMs);
}
