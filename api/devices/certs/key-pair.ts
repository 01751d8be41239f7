import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type CertKeyType, keyBitsOfType } from '../../../schemas/resources/certificate.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';

/** The kind of key of a certificate. */
export type KeySpec = { type: CertKeyType; bits: number };

/** A new pair: the public key as DER, the private one as PEM in its own type's form. */
type KeyPair = { publicKey: Buffer; privateKey: string };

/** @throws DomainError `malformed` naming `key_bits`, where the type has no such keys. */
export function keySpecOf(type: CertKeyType, bits?: number): KeySpec {
  const allowed: readonly number[] = keyBitsOfType[type];
  const spec = { type, bits: bits ?? allowed[0] ?? 0 };
  if (allowed.includes(spec.bits)) return spec;
  throw new DomainError('malformed', `key_bits must be one of ${allowed.join(', ')} for ${type}`);
}

const curves: Readonly<Record<number, string>> = { 256: 'P-256', 384: 'P-384', 521: 'P-521' };

const generate = promisify(generateKeyPair);

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Makes a key pair, off the event loop. A large RSA key takes a thread for seconds, and passwords and
 * files need threads as well. So few pairs are made at once, and a limited number may wait.
 *
 * @throws DomainError `too_many`
 */
export async function createKeyPair(spec: KeySpec): Promise<KeyPair> {
  if (running < limits.certificatesAtOnce) running += 1;
  else if (waiting.length >= limits.certificatesWaitingMax)
    throw new DomainError('too_many', 'keys', 1);
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await create(spec);
  } finally {
    // The place goes to the next that waits.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

async function create({ type, bits }: KeySpec): Promise<KeyPair> {
  if (type === 'rsa') {
    const pair = await generate('rsa', { modulusLength: bits });
    return exported(pair, 'pkcs1');
  }
  return exported(await generate('ec', { namedCurve: curves[bits] ?? '' }), 'sec1');
}

function exported(
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
  type: 'pkcs1' | 'sec1',
): KeyPair {
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    privateKey: privateKey.export({ type, format: 'pem' }).toString(),
  };
}
