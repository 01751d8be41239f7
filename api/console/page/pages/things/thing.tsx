import { call, type Thing } from '../../client/call.ts';
import { useRead } from '../../client/use-read.ts';
import type { PageProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Code, Secret } from '../../ui/copy.tsx';
import { PageHead, Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';

/** One thing: what is known of it, and its keys. */
export default function ThingPage({ parameters: { id = '' } }: PageProps) {
  const reading = useRead(id, (signal) => call('viewThing', { path: { id } }, signal));
  return <Loaded reading={reading}>{(thing) => <View thing={thing} />}</Loaded>;
}

function View({ thing }: { thing: Thing }) {
  return (
    <>
      <PageHead title={thing.name} trail={[{ text: texts.things.title, href: '#/things' }]} />
      <div class="stack">
        <Panel title={texts.things.about}>
          <dl class="facts">
            <dt>{texts.things.type}</dt>
            <dd>{texts.things.types[thing.type]}</dd>
            <dt>{texts.things.lastSeen}</dt>
            <dd>
              <Ago time={thing.last_seen} />
            </dd>
            {thing.key !== undefined && (
              <>
                <dt>{texts.things.key}</dt>
                <dd>
                  <Secret value={thing.key} label={texts.things.key} />
                </dd>
              </>
            )}
          </dl>
        </Panel>
        <Panel title={texts.things.metadata}>
          <Code text={JSON.stringify(thing.metadata, null, 2)} label={texts.things.metadata} />
        </Panel>
      </div>
    </>
  );
}
