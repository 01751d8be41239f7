import { useEffect, useState } from 'preact/hooks';
import { backupsTexts } from '../texts/backups.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { OperationsHead } from './head.tsx';
import { backup, restore, sizeOf, startBackup, startRestore, type Transfer } from './transfers.ts';

const words = backupsTexts;

const isUnderWay = ({ kind }: Transfer) => kind === 'underWay';

/** Backups of all messages, and their way back. */
export default function BackupsPage() {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (isUnderWay(backup.value) || isUnderWay(restore.value)) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  return (
    <>
      <OperationsHead current="backups" />
      <div class="stack">
        <Panel title={words.backup}>
          <div class="stack">
            <p class="muted prose">{words.backupText}</p>
            <div>
              <Button
                kind="primary"
                icon="download"
                disabled={isUnderWay(backup.value)}
                onClick={() => void startBackup()}
              >
                {words.start}
              </Button>
            </div>
            <Progress transfer={backup.value} label={words.backup} />
          </div>
        </Panel>
        <Panel title={words.restore}>
          <Restore />
        </Panel>
      </div>
    </>
  );
}

function Restore() {
  const [file, setFile] = useState<File>();
  const [isAsking, setAsking] = useState(false);
  return (
    <div class="stack">
      <p class="muted prose">{words.restoreText}</p>
      <div class="narrow-form">
        <Field label={words.file}>
          <input
            class="input"
            type="file"
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        </Field>
      </div>
      <div>
        <Button
          disabled={file === undefined || isUnderWay(restore.value)}
          onClick={() => setAsking(true)}
        >
          {words.restoreAction}
        </Button>
      </div>
      <Progress transfer={restore.value} label={words.restore} />
      {isAsking && file !== undefined && (
        <FormDialog
          title={words.question}
          action={words.restoreAction}
          submit={async () => void startRestore(file)}
          onClose={() => setAsking(false)}
        >
          <p class="muted break">{words.questionText(file.name, sizeOf(file.size))}</p>
        </FormDialog>
      )}
    </div>
  );
}

/** How far it is, or how it ended. */
function Progress({ transfer, label }: { transfer: Transfer; label: string }) {
  if (transfer.kind === 'idle') return null;
  if (transfer.kind === 'ended') {
    return (
      <p
        class="notice break"
        data-tone={transfer.isGood ? 'good' : 'bad'}
        role={transfer.isGood ? 'status' : 'alert'}
      >
        {transfer.text}
      </p>
    );
  }
  const { text, share, cancel } = transfer;
  return (
    <div class="transfer">
      <progress aria-label={label} max={1} {...(share === undefined ? {} : { value: share })} />
      <span class="small">{text}</span>
      {cancel !== undefined && <Button onClick={cancel}>{words.cancel}</Button>}
    </div>
  );
}
