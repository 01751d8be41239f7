import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Lease, Spender } from '../budgets/budget.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { DomainError } from '../../schemas/http/errors.ts';
import { hasBody } from '../http/connections/upload-timeout.ts';
import { operationOf } from '../http/operation.ts';
import { limits } from '../limits.ts';
import { authenticate, type AuthenticationDependencies, callerWith } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { readCredential } from './credentials/credential.ts';
import { spenderOf, strangerFrom } from './caller.ts';

export type AdmissionDependencies = AuthenticationDependencies & { budgets: Budgets };

/**
 * Lets a request in, before its body is read: who makes it, whether there is room for it, whether they may,
 * and whether there is room for its body. Gives for whom it spends. What it took is given back at its end.
 *
 * @throws DomainError as `authenticate`, `authorize` and `Budget.take`; `too_large`
 */
export async function admit(
  dependencies: AdmissionDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Spender> {
  const operation = operationOf(request);
  const { needs, watches, passedOn } = operation;
  const address = request.clientAddress;
  const stranger = strangerFrom(address);
  // It gets its answer when there is nothing left for others, too.
  if (watches) return stranger;

  const held: Lease[] = [];
  const giveBack = () => {
    for (const lease of held) lease.release();
  };
  reply.raw.once('close', giveBack).once('finish', giveBack);
  const hold = (lease: Lease) => {
    held.push(lease);
    if (reply.raw.destroyed) lease.release();
    return lease;
  };
  // Messages passed on to the edge, which knows who sends them, don't stand in the way of logins.
  const room = dependencies.budgets[passedOn ? 'passedOn' : 'requests'];

  let spender = stranger;
  if (needs.kind === 'anyone') {
    hold(room.take(stranger));
  } else {
    const credential = await readCredential(dependencies, operation, request);
    if (typeof credential === 'string') throw new DomainError(credential);
    // A token names its user. The sender of a key that is not known yet is a stranger still.
    const byToken: Spender | undefined =
      credential.kind === 'token'
        ? { caller: `user ${credential.userId}`, org: undefined, stranger: false }
        : undefined;
    const early = hold(
      room.take(dependencies.known.spenderOf(credential, address) ?? byToken ?? stranger),
    );
    const caller = await callerWith(dependencies, request, credential);
    request.caller = caller;
    spender = spenderOf(caller);
    early.release();
    hold(room.take(spender));
  }
  request.role = await authorize(dependencies.accessDb, needs, request);
  request.admittedAt = performance.now();

  const bytes = bodyBytesOf(request);
  if (bytes > 0) hold(dependencies.budgets.bodyBytes.take(spender, bytes));
  return spender;
}

/**
 * Asks once more where the body took its time: it must not outlive the right of who sent it.
 *
 * @throws DomainError as `authenticate` and `authorize`
 */
export async function readmit(
  dependencies: AdmissionDependencies,
  request: FastifyRequest,
): Promise<void> {
  if (performance.now() - request.admittedAt < limits.readmittedAfterMs) return;
  const operation = operationOf(request);
  request.caller = await authenticate(dependencies, operation, request);
  request.role = await authorize(dependencies.accessDb, operation.needs, request);
}

/** The memory that the body may take: its length, or as much as the route takes where the request does not say. */
function bodyBytesOf(request: FastifyRequest): number {
  const { raw, routeOptions } = request;
  const { anyLength, passedOn } = operationOf(request);
  if (!hasBody(raw) || anyLength || passedOn) return 0;
  const { bodyLimit } = routeOptions;
  const length = Number(raw.headers['content-length'] ?? bodyLimit);
  if (length > bodyLimit) throw new DomainError('too_large');
  return length;
}
