import type { GatewayConfig } from '../../../schemas/resources/profile-config.ts';
import { KnownThing } from '../../auth/known/known-things.ts';
import type { LineBatch } from '../../codecs/line/batch.ts';
import type { RowThing } from '../line-messages.ts';
import { type Refusal, unreadableConfig } from '../refusal.ts';
import { deviceOfName, type NamedDevice } from './named-device.ts';

/** The things of a body of lines from a gateway. */
export type RowThings = {
  readonly kind: 'rows';
  /** Of each row; undefined: its device is refused, and the row is left out. */
  readonly things: readonly (RowThing | undefined)[];
  /** Those of them that are not the gateway. */
  readonly devices: readonly KnownThing[];
  readonly records: number;
  readonly isStored: boolean;
  readonly hasWebhooks: boolean;
  readonly isRuled: boolean;
  /** A sentence for each device that is refused, up to a bound. */
  readonly problems: string;
  /** Why the whole body is: a device may be taken later, or no row is left. */
  readonly refusal: Refusal | undefined;
};

/** Devices that must be looked up first. */
type MissingDevices = { readonly kind: 'missing'; readonly devices: NamedDevice[] };

const problemsMax = 20;

/**
 * Of each row of a body the thing that it is of: the gateway's own have no name of a device. The body waits for all
 * devices that `recall` does not know. One that may be taken later refuses the whole body, so that it is sent again as
 * it is.
 */
export function thingsOfRows(
  { rows, series }: LineBatch,
  gateway: KnownThing,
  places: GatewayConfig,
  recall: (device: NamedDevice) => KnownThing | Refusal | undefined,
): RowThings | MissingDevices {
  const byName = new Map<string, RowThing | undefined>([['', rowThingOf(gateway)]]);
  const missing: NamedDevice[] = [];
  const devices: KnownThing[] = [];
  const refusals: Refusal[] = [];
  const things: (RowThing | undefined)[] = [];
  let records = 0;
  for (let row = 0; row < rows.count; row++) {
    const name = series.devices[rows.series[row] ?? 0] ?? '';
    if (!byName.has(name)) {
      const device = deviceOfName(name, '', places);
      const found = device.kind === 'refused' ? device : readable(recall(device));
      if (found === undefined && device.kind === 'named') missing.push(device);
      if (found?.kind === 'refused') refusals.push(found);
      const thing = found?.kind === 'known' ? copyOf(found) : undefined;
      if (thing !== undefined) devices.push(thing);
      byName.set(name, thing && rowThingOf(thing));
    }
    const thing = byName.get(name);
    things.push(thing);
    if (thing !== undefined) records += rows.records[row] ?? 0;
  }
  if (missing.length > 0) return { kind: 'missing', devices: missing };
  const kept = things.filter((thing) => thing !== undefined);
  const [first] = kept.length === 0 ? refusals : [];
  return {
    kind: 'rows',
    things,
    devices,
    records,
    isStored: kept.some(({ isStored }) => isStored),
    hasWebhooks: kept.some(({ hasWebhooks }) => hasWebhooks),
    isRuled: kept.some(({ ruled }) => ruled !== undefined),
    problems: refusals
      .slice(0, problemsMax)
      .map(({ detail = '' }) => detail)
      .join('\n'),
    refusal: refusals.find(({ retrySeconds }) => retrySeconds !== undefined) ?? first,
  };
}

const readable = (thing: KnownThing | Refusal | undefined) =>
  thing?.kind === 'known' && thing.config === null ? unreadableConfig : thing;

/** The next one is recalled into the same object. */
function copyOf(known: KnownThing): KnownThing {
  const { publisher, config, hasWebhooks, ruled, meter, group, slot } = known;
  const thing = new KnownThing();
  thing.publisher.set(publisher);
  return Object.assign(thing, { config, hasWebhooks, ruled, meter, group, slot });
}

const rowThingOf = ({ publisher, config, hasWebhooks, ruled }: KnownThing): RowThing => ({
  publisher,
  isStored: config?.write !== false,
  hasWebhooks,
  ruled,
});
