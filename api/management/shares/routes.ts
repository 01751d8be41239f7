import { createHash, randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { DomainError } from '../../../schemas/http/errors.ts';
import { rangeEnds } from '../../../schemas/dashboards/questions.ts';
import { requireRole } from '../../access/authorize.ts';
import { userOf } from '../../access/caller.ts';
import type { Throttle } from '../../access/throttle.ts';
import { mustExist, present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import type { Api } from '../../http/schemas.ts';
import type { PageDependencies } from '../../messages/pages/page.ts';
import { shares } from './operations.ts';
import { readSharedPanel, sharedRange } from './panel.ts';
import { deleteShare, findShared, findShares, insertShare, type Shared } from './sql.ts';

type ShareDependencies = PageDependencies & { throttle: Throttle };

/** Tells a share from a key, and secret scanners what it is. */
const prefix = 'mrs_';

/** The hash of a token, which is stored. A token can't be guessed, so it needs no slow hash. */
const hashOf = (token: string) => createHash('sha256').update(token).digest();

export function shareRoutes(api: Api, dependencies: ShareDependencies): void {
  const { db } = dependencies;
  handle(api, shares.createDashboardShare, async (request, reply) => {
    const token = prefix + randomBytes(32).toString('base64url');
    const { params, body } = request;
    const made = await insertShare(db, params.id, body, hashOf(token), userOf(request));
    reply.header('location', `/shares/${made.id}`).header('cache-control', 'no-store');
    return reply.status(201).send({ ...made, token });
  });

  handle(api, shares.listDashboardShares, async ({ params }) => ({
    shares: await findShares(db, params.id),
  }));

  handle(api, shares.deleteDashboardShare, async ({ params }, reply) => {
    mustExist(await deleteShare(db, params.id), 'share');
    return reply.status(204).send();
  });

  addShared(api, dependencies);
}

/** For whoever has the token. */
function addShared(api: Api, dependencies: ShareDependencies): void {
  handle(api, shares.viewSharedDashboard, async (request, reply) => {
    keepApart(reply);
    const { token } = request.params;
    const shared = await open(dependencies, token, request.clientAddress);
    const { from, to } = rangeEnds(shared.content.range, Date.now());
    const { refresh_s: refreshS } = shared.content;
    return {
      name: shared.name,
      panels: shared.content.panels,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      ...(refreshS === undefined ? {} : { refresh_s: refreshS }),
      expires_at: shared.expiresAt.toISOString(),
    };
  });

  handle(api, shares.readSharedPanel, async (request, reply) => {
    keepApart(reply);
    const { params, query, signal } = request;
    const shared = await open(dependencies, params.token, request.clientAddress);
    const panel = shared.content.panels.find(({ id }) => id === params.panel);
    const ends = sharedRange(shared.content.range, query, Date.now());
    const lines = await readSharedPanel(
      dependencies,
      shared,
      present(panel, 'panel'),
      ends,
      signal,
    );
    return {
      from: new Date(ends.from).toISOString(),
      to: new Date(ends.to).toISOString(),
      lines,
    };
  });
}

/** Nobody else may find an answer: in no cache, no index, and no address that is passed on. */
function keepApart(reply: FastifyReply): void {
  reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex, nofollow');
}

/**
 * The dashboard of a token, as long as its maker may see it.
 *
 * @throws DomainError `not_found` for a token that is unknown or has ended, and where its maker has lost the right;
 * `too_many`.
 */
async function open(
  { db, throttle }: ShareDependencies,
  token: string,
  address: string,
): Promise<Shared> {
  const hash = hashOf(token);
  // A try counts as a guess until it was right, so that a thousand at once are no more than one by one.
  await throttle.guess(address);
  const shared = await findShared(db, hash);
  if (shared === undefined) throw new DomainError('not_found', 'share');
  await throttle.guessedRight(address);
  await throttle.useShare(hash.toString('base64url'), address);
  try {
    await requireRole(db, shared.maker, 'viewer', 'dashboard', shared.dashboardId);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'forbidden') {
      throw new DomainError('not_found', 'share');
    }
    throw error;
  }
  return shared;
}
