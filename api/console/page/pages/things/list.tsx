import { call } from '../../client/call.ts';
import { useRead } from '../../client/use-read.ts';
import { choose, place } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Search } from '../../ui/field.tsx';
import { PageHead, Panel } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';

const limit = 40;

export default function ThingList() {
  const { name = '', offset = '0' } = place.value.query;
  const reading = useRead(`${name} ${offset}`, (signal) =>
    call(
      'listThings',
      { query: { name, offset: Number(offset), limit, order: 'name', dir: 'asc' } },
      signal,
    ),
  );
  return (
    <>
      <PageHead title={texts.things.title} />
      <Panel
        flush
        actions={
          <Search
            label={texts.parts.search}
            value={name}
            onSearch={(text) => choose({ name: text, offset: undefined }, 'replace')}
          />
        }
      >
        <Loaded reading={reading}>
          {({ things, total }) => (
            <>
              <div class="scroll">
                <table class="table">
                  <tbody>
                    {things.map((thing) => (
                      <tr key={thing.id}>
                        <th scope="row" class="cell">
                          <a href={`#/things/${thing.id}`}>
                            <bdi class="cut">{thing.name}</bdi>
                          </a>
                        </th>
                        <td>
                          <Ago time={thing.last_seen} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager
                offset={Number(offset)}
                limit={limit}
                total={total}
                onOffset={(next) => choose({ offset: String(next) })}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  );
}
