import { useMemo, useState } from 'preact/hooks';
import type { Thing } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { address } from '../router.ts';
import { ProfileField, useChosenProfile } from '../things/profile-field.tsx';
import { importingTexts } from '../texts/importing.ts';
import { thingTypes } from '../things/thing-types.ts';
import { thingsTexts } from '../texts/things.ts';
import { Choice, Field } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { Failed } from '../ui/states.tsx';
import { checkRows, type Place, type Wish, wishKey, wishOf } from './check.ts';
import { fields, type Target, targetsOf } from './columns.ts';
import { Making } from './making.tsx';
import { findPlaces } from './places.ts';
import { Preview } from './preview.tsx';
import type { CsvFile } from './read-csv.ts';

const words = importingTexts;

/** A file that was read: where its columns go, what its rows mean, and the making of it. */
export function Mapping({ file }: { file: CsvFile }) {
  const [targets, setTargets] = useState(() => targetsOf(file.head));
  const [type, setType] = useState<Thing['type']>('sensor');
  const [isMaking, setMaking] = useState(false);
  const profiles = useChosenProfile({ group: address.value.query['group'] });
  const places = usePlacesOf(file, targets);
  const usual = profiles.chosen?.id;
  const checked = useMemo(
    () => checkRows(file.rows, targets, { type, placeOf: finder(places.value, profiles.chosen) }),
    [file, targets, type, places.value, usual],
  );
  const hasName = targets.includes('name');
  return (
    <div class="stack">
      <fieldset class="bare" disabled={isMaking}>
        <Panel title={words.columns}>
          <div class="stack">
            <p class="muted prose">{words.columnsText}</p>
            <Columns file={file} targets={targets} onChange={setTargets} />
            {!hasName && <p class="notice">{words.noNameColumn}</p>}
            <div class="columns-of-file">
              <ProfileField
                label={words.usualProfile}
                hint={words.usualProfileHint}
                {...profiles}
              />
              <Field label={words.usualType}>
                <Choice
                  label={words.usualType}
                  value={type}
                  options={thingTypes.map((value) => ({ value, text: thingsTexts.types[value] }))}
                  onChoose={setType}
                />
              </Field>
            </div>
          </div>
        </Panel>
      </fieldset>
      {places.failure !== undefined && (
        <Failed failure={places.failure} again={places.again} isAsking={places.isLoading} />
      )}
      {places.value === undefined || !hasName ? (
        places.failure === undefined && hasName && <p role="status">{words.finding}</p>
      ) : (
        <>
          <Preview file={file} targets={targets} checked={checked} />
          <Making file={file} checked={checked} onMaking={setMaking} />
        </>
      )}
    </div>
  );
}

/** The profiles and groups that rows name. */
function usePlacesOf(file: CsvFile, targets: readonly Target[]) {
  const columns = (['profile', 'group'] as const).map((target) => targets.indexOf(target));
  return useRead(columns.join(), (signal) =>
    findPlaces(
      file.rows.map((row) => wishOf(row, targets)),
      signal,
    ),
  );
}

function finder(
  places: ReadonlyMap<string, Place> | undefined,
  usual: { id: string; groupId: string } | undefined,
): (wish: Wish) => Place {
  const other: Place =
    usual === undefined
      ? { kind: 'wrong', why: words.problems.nowhere }
      : { kind: 'profile', id: usual.id, groupId: usual.groupId };
  return (wish) => places?.get(wishKey(wish)) ?? other;
}

function Columns(props: {
  file: CsvFile;
  targets: readonly Target[];
  onChange: (targets: Target[]) => void;
}) {
  const { file, targets, onChange } = props;
  return (
    <div class="columns-of-file">
      {file.head.map((name, column) => {
        const target = targets[column] ?? 'none';
        const member: Target = `metadata.${name.replace(/^metadata[.:]/i, '')}`;
        return (
          <Field key={`${column} ${name}`} label={words.column(name)} hint={sampleOf(file, column)}>
            <Choice<Target>
              label={words.column(name)}
              value={target}
              options={[
                { value: 'none', text: words.targets.none },
                ...fields.map((value) => ({ value, text: words.targets[value] })),
                ...(name === '' ? [] : [{ value: member, text: words.member(nameIn(member)) }]),
              ]}
              // A field is given once: the column that had it is left out.
              onChoose={(chosen) =>
                onChange(
                  targets.map((one, at) =>
                    at === column ? chosen : one === chosen ? 'none' : one,
                  ),
                )
              }
            />
          </Field>
        );
      })}
    </div>
  );
}

const nameIn = (member: string) => member.slice('metadata.'.length);

const sampleOf = ({ rows }: CsvFile, column: number): string | undefined =>
  rows
    .slice(0, 50)
    .map(({ cells }) => cells[column] ?? '')
    .find((cell) => cell !== '')
    ?.slice(0, 60);
