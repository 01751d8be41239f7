import { AuditLog } from '../audit/log.tsx';
import type { Org } from '../client/call.ts';

/** The changes in the org. */
export function Audit({ org }: { org: Org }) {
  return <AuditLog org={org} />;
}
