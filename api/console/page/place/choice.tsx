import type { ComponentChildren } from 'preact';
import { address, goTo } from '../router.ts';
import { placesTexts } from '../texts/places.ts';
import { Field } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { type ListPlace, placesHere } from './places.ts';

const words = placesTexts;

/** Asks in which org or group, on a page that is of one: here, or else anywhere. Where there are none, its children say so. */
export function PlaceChoice(props: { places: readonly ListPlace[]; children: ComponentChildren }) {
  const here = placesHere(props.places);
  const places = here.length === 0 ? props.places : here;
  if (places.length === 0) return <>{props.children}</>;
  const { path, query } = address.value;
  const orgs = places.filter(({ of }) => of === 'org');
  const work = (id: string) => {
    const { of } = places.find((place) => place.id === id) ?? {};
    const place = { org: undefined, group: undefined, ...(of !== undefined && { [of]: id }) };
    goTo(path, { ...query, ...place, offset: undefined });
  };
  const optionOf = ({ id, name }: ListPlace) => (
    <option key={id} value={id}>
      {name}
    </option>
  );
  const groupsOf = (org: string) =>
    places.filter(({ of, orgId }) => of === 'group' && orgId === org);
  return (
    <Panel>
      <Field label={words.which} hint={words.whichHint}>
        <select class="input" onChange={(event) => work(event.currentTarget.value)}>
          <option value="">{words.choose}</option>
          {orgs.map((org) => [
            optionOf(org),
            ...groupsOf(org.id).map((group) =>
              optionOf({ ...group, name: words.inOrg(org.name, group.name) }),
            ),
          ])}
          {places
            .filter(({ of, orgId }) => of === 'group' && !orgs.some(({ id }) => id === orgId))
            .map(optionOf)}
        </select>
      </Field>
    </Panel>
  );
}
