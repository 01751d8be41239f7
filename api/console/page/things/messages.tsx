import { numberOf } from '../../../../schemas/json/exact.ts';
import { call, type Thing } from '../client/call.ts';
import { callExactly } from '../client/call-exactly.ts';
import { useRead } from '../client/use-read.ts';
import { address, choose, linkTo, type Query } from '../router.ts';
import { thingsTexts } from '../texts/things.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Choice, Search } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { At } from '../ui/time.tsx';
import { unitText } from '../../../../schemas/messages/units.ts';
import { DeleteMessages } from './deleting-messages.tsx';
import { valueOf } from './latest-values.ts';
import { instantOf } from '../explore/wall-time.ts';
import { ownTimeZone } from '../time-zone.ts';

const limit = 40;
const formats = ['senml', 'json'] as const;

type Raw = { time: string; name: string; subtopic: string; text: string };

/** The messages of a thing as they are stored, the newest first, a page at a time. */
export function Messages({ thing }: { thing: Thing }) {
  const { query } = address.value;
  const format = formats.find((one) => one === query['format']) ?? 'senml';
  const { name = '', cursor } = query;
  const range = ranges.find((one) => one === query['range']) ?? 'all';
  const ends = endsOf(range, query);
  const reading = useRead(JSON.stringify([thing.id, format, name, cursor, range, ends]), (signal) =>
    readRaw(
      format,
      {
        publisher: thing.id,
        limit,
        ...(name === '' ? {} : format === 'senml' ? { name_prefix: name } : { name }),
        ...(cursor === undefined ? {} : { cursor }),
        ...ends,
      },
      signal,
    ),
  );
  return (
    <Panel flush>
      <header class="filters">
        <Search
          label={format === 'senml' ? thingsTexts.nameBegins : thingsTexts.nameIs}
          value={name}
          onSearch={(text) => choose({ name: text, cursor: undefined }, 'replace')}
        />
        <Choice
          label={thingsTexts.format}
          value={format}
          options={formats.map((value) => ({ value, text: thingsTexts.formats[value] }))}
          onChoose={(value) => choose({ format: value, cursor: undefined })}
        />
        <Choice
          label={thingsTexts.range}
          value={range}
          options={ranges.map((value) => ({ value, text: thingsTexts.ranges[value] }))}
          onChoose={(value) =>
            choose({ range: value === 'all' ? undefined : value, cursor: undefined, ...noEnds })
          }
        />
        {range === 'fixed' && <Ends />}
        <DeleteMessages thing={thing} again={reading.again} />
      </header>
      <Loaded reading={reading}>
        {({ rows, next }) =>
          rows.length === 0 ? (
            <Empty title={thingsTexts.noMessages} />
          ) : (
            <>
              <RawTable rows={rows} />
              <Steps thing={thing.id} next={next} />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

const ranges = ['all', '1h', '24h', '7d', 'fixed'] as const;
type Range = (typeof ranges)[number];

const seconds: Readonly<Record<'1h' | '24h' | '7d', number>> = {
  '1h': 3_600,
  '24h': 86_400,
  '7d': 604_800,
};

const noEnds = { from: undefined, to: undefined };

/** A range that ends now begins with the minute, so that it is not read again with every look at the clock. */
function endsOf(range: Range, { from, to }: Query): { from?: string; to?: string } {
  if (range === 'all') return {};
  if (range !== 'fixed') {
    const minute = Math.floor(Date.now() / 60_000) * 60;
    return { from: `${minute - seconds[range]}000000000` };
  }
  const time = (text: string | undefined) => instantOf(text ?? '', ownTimeZone);
  const [begin, end] = [time(from), time(to)];
  return {
    ...(Number.isNaN(begin) ? {} : { from: new Date(begin).toISOString() }),
    ...(Number.isNaN(end) ? {} : { to: new Date(end).toISOString() }),
  };
}

/** The ends of a range of one's own, in the zone that one chose. */
function Ends() {
  return (
    <>
      {(['from', 'to'] as const).map((end) => (
        <input
          key={end}
          class="input moment"
          type="datetime-local"
          aria-label={thingsTexts.ends[end]}
          value={address.value.query[end] ?? ''}
          onChange={({ currentTarget: { value } }) =>
            choose({ [end]: value, cursor: undefined }, 'replace')
          }
        />
      ))}
    </>
  );
}

/** The way to older messages, and back to the newest. */
function Steps({ thing, next }: { thing: string; next: string | undefined }) {
  const { query } = address.value;
  return (
    <div class="pager">
      {query['cursor'] === undefined ? (
        <span />
      ) : (
        <ButtonLink kind="quiet" href={linkTo(`/things/${thing}`, { ...query, cursor: undefined })}>
          {thingsTexts.newest}
        </ButtonLink>
      )}
      <Button kind="quiet" disabled={next === undefined} onClick={() => choose({ cursor: next })}>
        {thingsTexts.older}
      </Button>
    </div>
  );
}

type RawQuery = {
  publisher: string;
  limit: number;
  name?: string;
  name_prefix?: string;
  cursor?: string;
  from?: string;
  to?: string;
};

async function readRaw(
  format: 'senml' | 'json',
  query: RawQuery,
  signal: AbortSignal,
): Promise<{ rows: Raw[]; next: string | undefined }> {
  if (format === 'senml') {
    const { messages, next } = await call('readMessages_senml', { query }, signal);
    const rows = messages.map((message) => ({
      time: new Date(message.time * 1_000).toISOString(),
      name: message.name ?? '',
      subtopic: message.subtopic ?? '',
      text: `${valueOf(message)} ${unitText(message.unit ?? '')}`,
    }));
    return { rows, next };
  }
  const { messages, next } = await callExactly('readMessages_json', { query }, signal);
  const rows = messages.map(({ created, subtopic = '', payload }) => ({
    time: new Date(numberOf(created) / 1e6).toISOString(),
    name: '',
    subtopic,
    text: JSON.stringify(payload),
  }));
  return { rows, next };
}

function RawTable({ rows }: { rows: readonly Raw[] }) {
  const isNamed = rows.some(({ name, subtopic }) => name !== '' || subtopic !== '');
  return (
    <table class="table fixed">
      <thead>
        <tr>
          <th scope="col" class="when">
            {thingsTexts.time}
          </th>
          {isNamed && <th scope="col">{thingsTexts.series}</th>}
          <th scope="col">{thingsTexts.value}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ time, name, subtopic, text }, i) => (
          <tr key={`${time} ${i}`}>
            <td class="when">
              <At time={time} />
            </td>
            {isNamed && (
              <td>
                <bdi class="cut" title={name}>
                  {name} <span class="muted">{subtopic}</span>
                </bdi>
              </td>
            )}
            <td>
              <bdi class="cut mono" title={text}>
                {text}
              </bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
