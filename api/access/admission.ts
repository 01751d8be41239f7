import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Lease, Spender } from '../../infra/runtime/budgets/budget.ts';
import type { BudgetName, Budgets } from '../../infra/runtime/budgets/budgets.ts';
import { DomainError } from '../../schemas/http/errors.ts';
import { hasBody } from '../http/connections/upload-timeout.ts';
import { limits } from '../limits.ts';
import { type Operation, requirementOf } from '../permissions.ts';
import { authenticate, type AuthenticationDependencies, callerWith } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { readCredential } from './credentials/credential.ts';
import { spenderOf, strangerFrom } from './spender.ts';

type AdmissionDependencies = AuthenticationDependencies & { budgets: Budgets };

/** What watches the service gets its answer when there is nothing left for others, too. */
const uncounted: readonly Operation[] = ['viewHealth', 'viewMetrics'];

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
  const { operation } = request.routeOptions.config;
  const requirement = requirementOf(operation);
  const address = request.clientAddress;
  const stranger = strangerFrom(address);
  if (uncounted.includes(operation)) return stranger;

  const hold = (lease: Lease) => {
    reply.raw.once('close', lease.release).once('finish', lease.release);
    if (reply.raw.destroyed) lease.release();
    return lease;
  };
  const room = dependencies.budgets[roomOf[operation] ?? 'requests'];

  let spender = stranger;
  if (requirement.who === 'anyone') {
    hold(room.take(stranger));
  } else {
    const credential = await readCredential(dependencies, requirement, request);
    if (typeof credential === 'string') throw new DomainError(credential);
    // A token's user is told by the token. Whoever has a key that is not known is a stranger still.
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
  request.role = await authorize(dependencies.accessDb, requirement, request);
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
  const { operation } = request.routeOptions.config;
  if (performance.now() - request.admittedAt < limits.readmittedAfterMs) return;
  const requirement = requirementOf(operation);
  request.caller = await authenticate(dependencies, requirement, request);
  request.role = await authorize(dependencies.accessDb, requirement, request);
}

/** Messages passed on to the edge, which knows who sends them, don't stand in the way of logins. */
const roomOf: Partial<Record<Operation, BudgetName>> = { passToEdge: 'passedOn' };

/** What the body may take of memory: its length, or as much as the route takes where that is not told. */
function bodyBytesOf({ raw, routeOptions }: FastifyRequest): number {
  const { config, bodyLimit } = routeOptions;
  if (!hasBody(raw) || config.anyLength === true || config.operation === 'passToEdge') return 0;
  const length = Number(raw.headers['content-length'] ?? bodyLimit);
  if (length > bodyLimit) throw new DomainError('too_large');
  return length;
}
