import { isIP, isIPv4, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, buildConnector } from 'undici';
import type { AddressesAllowed } from '../../../infra/runtime/network/addresses-allowed.ts';
import { limits } from '../../limits.ts';
import type { Resolve } from './resolve.ts';

/** The host has no address that may be called: no connection was opened. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** The address of a connection was checked when it was opened; its host may have another one later. */
const connectionMsMax = 60_000;
const idleMsMax = 4_000;
const nextAddressMs = 1_000;

/**
 * The connections to webhooks. Each is dialled to an address that was checked: a name is resolved here, once, and
 * only allowed addresses are passed on. No proxy, no redirect, HTTP/1.1.
 */
export function createAgent(allowed: AddressesAllowed, resolve: Resolve): Agent {
  const find = callbackify(async (hostname: string) => {
    const found = await resolve(hostname);
    const addresses = found.filter((address) => allowed.allows(address));
    if (addresses.length === 0) throw new AddressRefused(hostname);
    return addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  });
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    find(hostname, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) callback(error, '', 0);
      else if (all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
  const dial = buildConnector({
    timeout: limits.connectMsMax,
    allowH2: false,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
    rejectUnauthorized: true,
  });
  return new Agent({
    connect(options, callback) {
      const { hostname } = options;
      // A host that is an address is not looked up.
      if (isIP(hostname) !== 0 && !allowed.allows(hostname)) {
        queueMicrotask(() => callback(new AddressRefused(hostname), null));
        return;
      }
      dial(options, callback);
    },
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: idleMsMax,
    keepAliveMaxTimeout: idleMsMax,
    // The client limits the whole attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** The current agent, and how to end all connections. */
export type Agents = { current(): Agent; destroy(): Promise<void> };

/** Replaces the agent from time to time, and so the connections; calls under way end on their old ones. */
export function rotateAgents(open: () => Agent): Agents {
  let agent = open();
  const rotating = setInterval(() => {
    void agent.close();
    agent = open();
  }, connectionMsMax);
  return {
    current: () => agent,
    destroy() {
      clearInterval(rotating);
      return agent.destroy();
    },
  };
}
