import type { Command } from 'commander';
import type { NewCertificate } from '../../schemas/client/generated/types.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import { pageFlags } from '../input/flags.ts';
import { UsageError } from '../input/usage.ts';
import type { Call } from '../invocation/call.ts';
import { pageOf, show } from './ordinary.ts';

const bySerial = (call: Call) => ({ path: { serial: call.text('serial') } });

export const addCommands: AddCommands = (group, add) => {
  addIssue(group, add);
  addRenewRevokeAndLists(group, add);
};

function addIssue(group: Command, add: Add): void {
  const issue = add(
    group,
    'issue <thing_id> [token]',
    'Issue a certificate to a thing',
    async (call) => {
      const { keysize, keytype, ttl }: { keysize?: string; keytype: string; ttl: string } =
        issue.opts();
      const keyType = parseCertKeyType(keytype);
      const keyBits = keysize ?? (keyType === 'rsa' ? '2048' : '256');
      if (!/^\d+$/.test(keyBits)) throw new UsageError('--keysize is not a number of bits');
      const body: NewCertificate = {
        thing_id: call.id('thing_id'),
        // A number by itself is hours.
        ttl: /^\d+$/.test(ttl) ? `${ttl}h` : ttl,
        key_bits: Number(keyBits),
        key_type: keyType,
      };
      await call.output.show(await call.ask('issueCertificate', { body }));
    },
    {
      examples: [
        'certs issue $THING',
        'certs issue $THING --keytype ecdsa --ttl 720h -o json > cert.json',
      ],
    },
  )
    .option('--keysize <bits>', '2048 or 4096 (rsa), 256, 384 or 521 (ecdsa)')
    .option('--keytype <type>', 'rsa or ecdsa', 'rsa')
    .option('--ttl <duration>', 'how long it is valid: 720h, or a number of hours', '8760h');
  add(
    group,
    'get <serial> [token]',
    'Show a certificate, without its private key',
    show('viewCertificate', bySerial),
  );
}

function addRenewRevokeAndLists(group: Command, add: Add): void {
  add(
    group,
    'renew <serial> [token]',
    'Issue a new certificate in the place of one',
    show('renewCertificate', bySerial),
  );
  add(
    group,
    'revoke <serial> [token]',
    'Revoke a certificate',
    async (call) => {
      const what = `the certificate ${call.text('serial')}`;
      await call.confirm('revoke', what);
      const revocation = await call.ask('revokeCertificate', bySerial(call));
      call.tell(`revoked ${what}`);
      await call.output.show(revocation);
    },
    { removes: true },
  );
  add(
    group,
    'serials <thing_id> [token]',
    'List the certificates of a thing',
    show('listSerials', pageOf('thing_id')),
    { uses: pageFlags },
  );
  add(
    group,
    'crl',
    'Write the revocation list, as the server serves it',
    async (call) => {
      const { stream } = await call.anonymous().download('viewRevocationList', {});
      await call.output.write(Buffer.concat(await stream.toArray()));
    },
    { examples: ['certs crl > revoked.crl'] },
  );
}

function parseCertKeyType(text: string): 'rsa' | 'ecdsa' {
  const type = text.toLowerCase();
  if (type === 'rsa') return 'rsa';
  if (type === 'ecdsa' || type === 'ec') return 'ecdsa';
  throw new UsageError('--keytype is rsa or ecdsa');
}
