import { useState } from 'preact/hooks';
import type { Panel, PanelSeries } from '../../../../schemas/dashboards/content.ts';
import { call } from '../client/call.ts';
import { FieldError } from '../client/failure.ts';
import { session, userIn } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { PlaceChoice } from '../place/choice.tsx';
import { type ListPlace, onlyPlace, usePlaces } from '../place/places.ts';
import { address, goTo, linkTo } from '../router.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/form.tsx';
import { Choice, Field, fieldOf } from '../ui/field.tsx';
import { PageHead, Panel as Box } from '../ui/page.tsx';
import { Empty, Loaded, Notice } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';
import { type Draft, draftIn, emptyContent, panelBelow } from './draft.ts';

const words = dashboardsTexts;

/**
 * Makes a dashboard, or adds a panel to one. What a link may say: `series`, as Explore has them in its address
 * (`senml:<thing>:<name>`, several with `|` between them), `title`, `kind`, `aggregate`, and `org` or `group`.
 */
export default function NewDashboard() {
  const reading = usePlaces(userIn(session.value), 'all');
  const chosen = onlyPlace(reading.value);
  const panel = panelIn(address.value.query);
  return (
    <>
      <PageHead
        title={panel === undefined ? words.make : words.add}
        trail={[{ text: words.title, href: linkTo('/dashboards') }]}
      />
      <Loaded reading={reading}>
        {(all) =>
          chosen === undefined ? (
            <PlaceChoice places={all}>
              <Empty title={words.noPlace} text={words.noPlaceText} />
            </PlaceChoice>
          ) : (
            <Box>
              <NewForm key={chosen.id} place={chosen} panel={panel} />
            </Box>
          )
        }
      </Loaded>
    </>
  );
}

const kinds = ['line', 'bars', 'states', 'value', 'table'] as const;
const aggregates = ['avg', 'min', 'max', 'sum', 'count', 'first', 'last'] as const;

/** The panel that a link asks for. */
function panelIn(query: Readonly<Record<string, string | undefined>>): Partial<Panel> | undefined {
  const series = (query['series'] ?? '').split('|').flatMap((text): PanelSeries[] => {
    const [format, thing = '', name = ''] = text.split(':');
    if ((format !== 'senml' && format !== 'json') || !/^[0-9a-f-]{36}$/.test(thing)) return [];
    try {
      return [{ format, thing, name: decodeURIComponent(name) }];
    } catch {
      return [];
    }
  });
  if (series.length === 0) return undefined;
  const aggregation = aggregates.find((one) => one === query['aggregate']);
  return {
    series: series.slice(0, 20),
    kind: kinds.find((one) => one === query['kind']) ?? 'line',
    title: (query['title'] ?? series.map(({ name = '' }) => name).join(', ')).slice(0, 254),
    ...(aggregation === undefined ? {} : { aggregation }),
  };
}

const listedMax = 200;

function NewForm({ place, panel }: { place: ListPlace; panel: Partial<Panel> | undefined }) {
  const { of, id } = place;
  const { value: list } = useRead(panel && `${of} ${id}`, (signal) =>
    call(
      of === 'org' ? 'listOrgDashboards' : 'listGroupDashboards',
      { path: { id }, query: { limit: listedMax, order: 'name', dir: 'asc' } },
      signal,
    ),
  );
  const [target, setTarget] = useState('');
  const { failure, isBusy, run } = useAction();
  const submit = async (form: FormData) => {
    const dashboardId =
      target === '' ? await made(place, await draftOf(form, panel)) : await added(target, panel);
    say(panel === undefined ? partsTexts.created : words.added);
    goTo(`/dashboards/${dashboardId}`);
  };
  return (
    <form
      class="form narrow-form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        void run(() => submit(form));
      }}
    >
      <p class="muted">
        {panel === undefined ? words.newText : words.addText(panel.series?.length ?? 0)}
      </p>
      {panel !== undefined && (
        <Field label={words.which}>
          <Choice
            label={words.which}
            value={target}
            options={[
              { value: '', text: words.aNew },
              ...(list?.dashboards ?? []).map((one) => ({ value: one.id, text: one.name })),
            ]}
            onChoose={setTarget}
          />
        </Field>
      )}
      {target === '' && <NewFields takesFile={panel === undefined} />}
      <Notice failure={failure} />
      <div class="actions">
        <Button kind="primary" submits disabled={isBusy}>
          {panel === undefined ? words.create : words.add}
        </Button>
      </div>
    </form>
  );
}

function NewFields({ takesFile }: { takesFile: boolean }) {
  return (
    <>
      <Field label={words.name}>
        <input class="input" name="name" required maxLength={254} />
      </Field>
      <Field label={words.description}>
        <input class="input" name="description" maxLength={1024} />
      </Field>
      {takesFile && (
        <Field label={words.file} hint={words.fileHint}>
          <input class="input" type="file" name="file" accept=".json,application/json" />
        </Field>
      )}
    </>
  );
}

async function draftOf(form: FormData, panel: Partial<Panel> | undefined): Promise<Draft> {
  const named = { name: fieldOf(form, 'name'), description: fieldOf(form, 'description') };
  const file = form.get('file');
  if (file instanceof File && file.size > 0) {
    const given = draftIn(await file.text());
    if (given === undefined) throw new FieldError('file', words.notJson);
    return { ...named, content: given.content };
  }
  const panels = panel === undefined ? [] : [panelBelow([], panel)];
  return { ...named, content: { ...emptyContent, panels } };
}

async function made({ of, id }: ListPlace, body: Draft): Promise<string> {
  const operation = of === 'org' ? 'createOrgDashboard' : 'createGroupDashboard';
  return (await call(operation, { path: { id }, body })).id;
}

async function added(id: string, panel: Partial<Panel> | undefined): Promise<string> {
  const { version, content } = await call('viewDashboard', { path: { id } });
  const panels = [...content.panels, panelBelow(content.panels, panel ?? {})];
  const body = { version, content: { ...content, panels } };
  await call('updateDashboard', { path: { id }, body });
  return id;
}
