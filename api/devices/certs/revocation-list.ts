import { sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '../../stores/database.ts';
import { limits } from '../../limits.ts';
import type { Authority } from './authority.ts';
import { bits, der, integer, octets, sequence, time } from './der.ts';
import {
  findList,
  findRevoked,
  forgetGone,
  isListCurrent,
  lockAuthority,
  markListed,
  type Revoked,
  type SignedList,
  storeList,
} from './revocation-list-sql.ts';

/** The list of revoked certificates that have not ended yet (RFC 5280 §5), as DER. */
type RevocationList = () => Promise<Buffer>;

/** The list is signed again after a revocation, and before half of its time is over. */
export function createRevocationList(db: Database, authority: Authority): RevocationList {
  let last: SignedList | undefined;
  let making: Promise<SignedList> | undefined;

  return async () => {
    // Checked again after that: a list that was under way may have begun before the last revocation.
    while (last === undefined || !(await isListCurrent(db, authority.id, last.number))) {
      making ??= make(db, authority).finally(() => {
        making = undefined;
      });
      last = await making;
    }
    return last.crl;
  };
}

/** If another process has signed a list meanwhile, that list is taken. */
async function make(db: Database, authority: Authority): Promise<SignedList> {
  const { id } = authority;
  return db.transaction(async (transaction) => {
    const number = await lockAuthority(transaction, id);
    if (await isListCurrent(transaction, id, number)) return findList(transaction, id);
    await forgetGone(transaction, id);
    // Before they are read: one that is revoked in between is read but not marked, so it causes another list.
    await markListed(transaction, id);
    const revoked = await findRevoked(transaction, id);
    const thisUpdate = new Date();
    const nextUpdate = new Date(thisUpdate.getTime() + limits.crlSeconds * 1_000);
    const list = {
      number: number + 1,
      crl: await signList(authority, { number: number + 1, thisUpdate, nextUpdate, revoked }),
    };
    await storeList(transaction, id, list, nextUpdate);
    return list;
  });
}

type List = { number: number; thisUpdate: Date; nextUpdate: Date; revoked: Revoked[] };

const signAsync = promisify(sign);

/** Written by hand: the library compares each entry with all before it. */
async function signList(
  { certificate, keyIdentifier, key }: Authority,
  { number, thisUpdate, nextUpdate, revoked }: List,
): Promise<Buffer> {
  const algorithm = key.asymmetricKeyType === 'rsa' ? sha256WithRsa : sha256WithEcdsa;
  const entries = revoked.map(({ serial, revokedAt }) => {
    return sequence(integer(serial), time(revokedAt));
  });
  const numberExtension = sequence(crlNumberOid, octets(integer(number.toString(16))));
  const content = sequence(
    integer('01'), // version 2
    algorithm,
    Buffer.from(certificate.subjectName.toArrayBuffer()),
    time(thisUpdate),
    time(nextUpdate),
    ...(entries.length === 0 ? [] : [sequence(Buffer.concat(entries))]),
    der(0xa0, sequence(Buffer.from(keyIdentifier.rawData), numberExtension)),
  );
  return sequence(content, algorithm, bits(await signAsync('sha256', content, key)));
}

const sha256WithEcdsa = Buffer.from('300a06082a8648ce3d040302', 'hex');
const sha256WithRsa = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
const crlNumberOid = Buffer.from('0603551d14', 'hex');

/** The same list as text. */
export function toPem(crl: Buffer): string {
  const lines = crl.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN X509 CRL-----\n${lines.join('\n')}\n-----END X509 CRL-----\n`;
}
