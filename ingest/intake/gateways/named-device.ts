import { Compile } from 'typebox/compile';
import { ExternalKey, externalKeyLength } from '../../../schemas/resources/thing.ts';
import type { GatewayConfig } from '../../../schemas/resources/profile-config.ts';
import { Credential } from '../../auth/credential.ts';
import { malformed, type Rejected } from '../../codecs/rejected.ts';
import { shown } from '../../../schemas/json/shown.ts';

/** The device that a message of a gateway names. */
export type NamedDevice = {
  readonly kind: 'named';
  readonly credential: Credential;
  /** As the message has it. */
  readonly name: string;
  /** That the message goes on with. */
  readonly subtopic: string;
};

const isExternalKey = Compile(ExternalKey);

/** By the id of its thing, as a topic has it. */
export function deviceOfId(id: string, subtopic: string): NamedDevice {
  const credential = new Credential('id', id.replaceAll('-', ''));
  return { kind: 'named', credential, name: id, subtopic };
}

/** By its external key, which the name is the end of. */
export function deviceOfName(
  name: string,
  subtopic: string,
  { key_prefix: prefix = '' }: GatewayConfig,
): NamedDevice | Rejected {
  const key = prefix + name;
  if (!isExternalKey.Check(key)) {
    const { minLength, maxLength } = externalKeyLength;
    return malformed(
      `device ${shown(name)}: with key_prefix it must have ${minLength} to ${maxLength} characters, as external keys have`,
    );
  }
  return { kind: 'named', credential: new Credential('external', key), name, subtopic };
}

/** A level of a subtopic, from 1 on, and the subtopic without it; undefined: it has fewer. */
export function cutLevel(
  subtopic: string,
  level: number,
): { name: string; subtopic: string } | undefined {
  const levels = subtopic.split('.');
  const [name = ''] = levels.splice(level - 1, 1);
  return name === '' ? undefined : { name, subtopic: levels.join('.') };
}
