import type { Removal, Requests } from '../../../../schemas/client/generated/types.ts';

/**
 * The operations that no single click may do: they remove something, change what somebody may do, or can't be called
 * back. `call` does not take them; `Question` does, after a person has confirmed.
 */
export type Asked =
  | Removal
  | 'changeOrgRoles'
  | 'changeGroupRoles'
  | 'changeQueue'
  | 'retryFailedJobs'
  | 'declineInvite'
  | 'replayWebhook';

/** Such an operation with its request. */
export type AskedCall = {
  [Name in Asked]: { operation: Name; request: () => Requests[Name] };
}[Asked];
