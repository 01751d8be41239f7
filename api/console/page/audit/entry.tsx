import type { AuditEntry } from '../client/call.ts';
import { auditTexts } from '../texts/audit.ts';
import { changesTexts } from '../texts/changes.ts';
import { webhooksTexts } from '../texts/webhooks.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { At } from '../ui/time.tsx';
import { What, Who } from './told.tsx';

const words = auditTexts;
const { actions, kinds } = changesTexts;

/** Members before and after; of those that are not told, the name. */
export function Changes({ entry, most }: { entry: AuditEntry; most: number }) {
  const changes = Object.entries(entry.changes);
  const more = changes.length - most;
  return (
    <ul class="changes small">
      {changes.slice(0, most).map(([name, { from, to }]) => (
        <li key={name} class="cut">
          <span class="muted">{name}</span> {from !== undefined && <del>{from}</del>}
          {from !== undefined && to !== undefined && ' → '}
          {to !== undefined && <ins>{to}</ins>}
        </li>
      ))}
      {more > 0 && <li class="muted">{words.moreChanges(more)}</li>}
    </ul>
  );
}

/** All that is known of one change. */
export function Entry({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const facts: [string, string | undefined][] = [
    [words.operation, entry.operation],
    [words.where, entry.address],
    [webhooksTexts.request, entry.request_id],
    [words.entity, entry.entity_id],
    [words.group, entry.group_id],
    [words.apiKey, entry.api_key_id],
  ];
  return (
    <Dialog title={`${actions[entry.action]}: ${kinds[entry.kind]}`} onClose={onClose}>
      <dl class="facts">
        <dt>{words.when}</dt>
        <dd>
          <At time={entry.at} />
        </dd>
        <dt>{words.who}</dt>
        <dd>
          <Who entry={entry} />
        </dd>
        <dt>{words.what}</dt>
        <dd>
          <What entry={entry} />
        </dd>
        {facts.map(
          ([name, value]) =>
            value !== undefined && [
              <dt key={`${name} name`}>{name}</dt>,
              <dd key={name} class="mono small break">
                {value}
              </dd>,
            ],
        )}
        <dt>{words.change}</dt>
        <dd>
          <Changes entry={entry} most={Number.POSITIVE_INFINITY} />
        </dd>
      </dl>
      <div class="actions">
        <Button onClick={onClose}>{shellTexts.close}</Button>
      </div>
    </Dialog>
  );
}
