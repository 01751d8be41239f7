import type { Command } from 'commander';
import type { NewCertificate } from '../../../schemas/client/generated/types.ts';
import type { Add, AddCommands } from '../../invocation/command.ts';
import { pageFlags } from '../../input/flags.ts';
import { UsageError } from '../../input/usage.ts';

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
      const { certs } = call.as(call.settings.urls.certs);
      const { keysize, keytype, ttl }: { keysize?: string; keytype: string; ttl: string } =
        issue.opts();
      const keyType = parseCertKeyType(keytype);
      const keyBits = keysize ?? (keyType === 'rsa' ? '2048' : '256');
      if (!/^\d+$/.test(keyBits)) throw new UsageError('--keysize is not a number of bits');
      const cert: NewCertificate = {
        thing_id: call.id('thing_id'),
        // A number by itself is hours.
        ttl: /^\d+$/.test(ttl) ? `${ttl}h` : ttl,
        key_bits: Number(keyBits),
        key_type: keyType,
      };
      await call.output.show(await certs.issue(cert));
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
    async (call) => {
      await call.output.show(
        await call.as(call.settings.urls.certs).certs.view(call.text('serial')),
      );
    },
  );
}

function addRenewRevokeAndLists(group: Command, add: Add): void {
  add(
    group,
    'renew <serial> [token]',
    'Issue a new certificate in the place of one',
    async (call) => {
      await call.output.show(
        await call.as(call.settings.urls.certs).certs.renew(call.text('serial')),
      );
    },
  );
  add(
    group,
    'revoke <serial> [token]',
    'Revoke a certificate',
    async (call) => {
      const serial = call.text('serial');
      const client = call.as(call.settings.urls.certs);
      const what = `the certificate ${serial}`;
      await call.confirm('revoke', what);
      const revocation = await client.certs.revoke(serial);
      call.tell(`revoked ${what}`);
      await call.output.show(revocation);
    },
    { removes: true },
  );
  add(
    group,
    'serials <thing_id> [token]',
    'List the certificates of a thing',
    async (call) => {
      const { urls, page } = call.settings;
      await call.output.show(await call.as(urls.certs).certs.serials(call.id('thing_id'), page));
    },
    { uses: pageFlags },
  );
  add(
    group,
    'crl',
    'Write the revocation list, as the server serves it',
    async (call) => {
      await call.output.write(await call.anonymous().certs.revocationList());
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
