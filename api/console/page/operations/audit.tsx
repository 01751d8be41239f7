import { AuditLog } from '../audit/log.tsx';
import { OperationsHead } from './head.tsx';

/** The changes on the platform: in all orgs, and in none. */
export default function AuditPage() {
  return (
    <>
      <OperationsHead current="audit" />
      <AuditLog />
    </>
  );
}
