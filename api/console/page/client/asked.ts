import type { Removal } from '../../../permissions.ts';
import type { OperationName, Requests } from '../../../../cli/client/openapi.ts';

/**
 * What no single click may do: what removes something, changes what somebody may do, or can't be called back. `call`
 * does not take these operations; `Question` does, after a person has confirmed.
 */
export type Asked =
  | Extract<OperationName, Removal | `${Removal}_${string}`>
  | 'changeOrgRoles'
  | 'changeGroupRoles'
  | 'declineInvite'
  | 'replayWebhook';

/** Such an operation with its request. */
export type AskedCall = {
  [Name in Asked]: { operation: Name; request: () => Requests[Name] };
}[Asked];
