import { useState } from 'preact/hooks';
import { type Answers, call, type Thing } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import type { May } from '../roles.ts';
import { thingsTexts } from '../texts/things.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, FormDialog, Question } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { useAction } from '../ui/form.tsx';
import { Panel } from '../ui/page.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Empty, Loaded, Notice } from '../ui/states.tsx';
import { At } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';

const words = thingsTexts.certificatesOf;

type Issued = Answers['issueCertificate'];

/** So many are shown: a thing has few. */
const shownMax = 40;

/** The certificates of a thing, and what is done with them. */
export function Certificates({ thing: { id }, may }: { thing: Thing; may: May }) {
  const [isIssuing, setIssuing] = useState(false);
  const [issued, setIssued] = useState<Issued>();
  const reading = useRead(id, (signal) =>
    call(
      'listSerials',
      { path: { id }, query: { limit: shownMax, order: 'issued_at', dir: 'desc' } },
      signal,
    ),
  );
  // Of the thing that it is for: the API asks for the same role as for a change of the thing.
  const mayChange = may('updateThing');
  const show = (certificate: Issued) => {
    setIssued(certificate);
    reading.again();
  };
  return (
    <Panel
      flush
      title={thingsTexts.certificates}
      actions={
        mayChange && (
          <Button icon="plus" onClick={() => setIssuing(true)}>
            {words.issue}
          </Button>
        )
      }
    >
      <Loaded reading={reading}>
        {({ certs, total }) =>
          certs.length === 0 ? (
            <Empty title={thingsTexts.noCertificates} text={words.noneText} />
          ) : (
            <>
              <table class="table fixed">
                <tbody>
                  {certs.map((cert) => (
                    <Row
                      key={cert.cert_serial}
                      serial={cert.cert_serial}
                      expiresAt={cert.expires_at}
                      mayChange={mayChange}
                      onIssued={show}
                      again={reading.again}
                    />
                  ))}
                </tbody>
              </table>
              {total > certs.length && <p class="muted small inside">{words.more(total)}</p>}
            </>
          )
        }
      </Loaded>
      {isIssuing && <Issuing id={id} onIssued={show} onClose={() => setIssuing(false)} />}
      {issued !== undefined && <Taking issued={issued} onClose={() => setIssued(undefined)} />}
    </Panel>
  );
}

function Row(props: {
  serial: string;
  expiresAt: string;
  mayChange: boolean;
  onIssued: (issued: Issued) => void;
  again: () => void;
}) {
  const { serial, expiresAt, mayChange, onIssued, again } = props;
  const [isAsking, setAsking] = useState(false);
  const { failure, isBusy, run } = useAction();
  const path = { serial };
  return (
    <tr>
      <th scope="row">
        <code class="cut" title={serial}>
          {serial}
        </code>
        <Notice failure={failure} />
      </th>
      <td>
        {thingsTexts.expires} <At time={expiresAt} />
      </td>
      {mayChange && (
        <td>
          <div class="row">
            <Button
              disabled={isBusy}
              onClick={() =>
                void run(async () => onIssued(await call('renewCertificate', { path })))
              }
            >
              {words.renew}
            </Button>
            <Button kind="danger" onClick={() => setAsking(true)}>
              {words.revoke}
            </Button>
            {isAsking && (
              <Question
                operation="revokeCertificate"
                request={() => ({ path })}
                title={words.revokeTitle}
                text={words.revokeText}
                action={words.revoke}
                onDone={() => {
                  say(words.revoked);
                  again();
                }}
                onClose={() => setAsking(false)}
              />
            )}
          </div>
        </td>
      )}
    </tr>
  );
}

const lifetimes = ['720h', '8760h', '43800h'] as const;
const keyTypes = ['ecdsa', 'rsa'] as const;

function Issuing(props: { id: string; onIssued: (issued: Issued) => void; onClose: () => void }) {
  const { id, onIssued, onClose } = props;
  return (
    <FormDialog
      title={words.issue}
      action={words.issue}
      onClose={onClose}
      submit={async (form) => {
        const keyType = keyTypes.find((one) => one === fieldOf(form, 'type')) ?? 'ecdsa';
        const body = { thing_id: id, ttl: fieldOf(form, 'ttl'), key_type: keyType };
        onIssued(await call('issueCertificate', { body }));
      }}
    >
      <p class="muted">{words.issueText}</p>
      <Field label={words.lifetime}>
        <select class="input" name="ttl">
          {lifetimes.map((ttl) => (
            <option key={ttl} value={ttl} selected={ttl === '8760h'}>
              {words.lifetimes[ttl]}
            </option>
          ))}
        </select>
      </Field>
      <Field label={words.keyType}>
        <select class="input" name="type">
          {keyTypes.map((type) => (
            <option key={type} value={type}>
              {words.keyTypes[type]}
            </option>
          ))}
        </select>
      </Field>
    </FormDialog>
  );
}

/** The files of a certificate that was just issued: the private key is nowhere else. */
function Taking({ issued, onClose }: { issued: Issued; onClose: () => void }) {
  const name = issued.serial.slice(0, 10);
  const files = [
    { text: words.files.certificate, file: `${name}.crt.pem`, pem: issued.certificate },
    { text: words.files.key, file: `${name}.key.pem`, pem: issued.private_key },
    { text: words.files.chain, file: 'ca.pem', pem: issued.ca_chain.join('') },
  ];
  return (
    <Dialog title={words.takeTitle} onClose={onClose}>
      <p class="notice" data-tone="warn" role="status">
        {words.takeText}
      </p>
      <div class="row">
        {files.map(({ text, file, pem }) => (
          <Button
            key={file}
            icon="download"
            onClick={() => saveFile(file, 'application/x-pem-file', [pem])}
          >
            {text}
          </Button>
        ))}
      </div>
      <div class="row">
        <Button kind="primary" onClick={onClose}>
          {shellTexts.close}
        </Button>
      </div>
    </Dialog>
  );
}
