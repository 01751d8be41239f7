import { describe, expect, it } from 'vitest';
import { endsOf, queryOf, readView, type View } from './view.ts';

const thing = 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b';

/** The query of a view as a browser reads it out of its link. */
function throughLink(view: View) {
  const given = Object.entries(queryOf(view)).flatMap(([name, value = '']) =>
    value === '' ? [] : [[name, value]],
  );
  return Object.fromEntries(new URLSearchParams(new URLSearchParams(given).toString()));
}

describe('a view', () => {
  it('is the same after its link, whatever its series are called', () => {
    const view: View = {
      series: [
        { format: 'senml', thing, name: 'a|b:c&d=é%\u202E<script>' },
        { format: 'json', thing, name: 'motor.rpm' },
      ],
      range: { kind: 'fixed', from: 1_700_000_000_000, to: 1_700_000_060_000 },
      aggregate: 'avg',
      gaps: 'linear',
      timeZone: 'Asia/Kathmandu',
      isLive: false,
    };
    expect(readView(throughLink(view))).toEqual(view);
    const last: View = {
      ...view,
      range: { kind: 'last', text: '15m', seconds: 900 },
      isLive: true,
    };
    expect(readView(throughLink(last))).toEqual(last);
  });

  it('leaves out what is not understood', () => {
    const nonsense = {
      series: 'xml:1:a|senml:../../etc:a|senml:',
      range: '1e9y',
      from: 'today',
      aggregate: 'all',
      tz: '<b>',
    };
    expect(readView(nonsense)).toEqual(readView({}));
    // It ends before it begins.
    expect(readView({ from: '2026-01-02', to: '2026-01-01' })).toEqual(readView({}));
  });

  it('takes times in a link as the API does', () => {
    const day = { kind: 'last', text: '24h', seconds: 86_400 };
    expect(readView({ from: '-24h' }).range).toEqual(day);
    expect(readView({ from: '-24h', to: 'now' }).range).toEqual(day);
    expect(readView({ from: '2026-11-25', to: '2026-11-26', tz: 'Asia/Tokyo' }).range).toEqual({
      kind: 'fixed',
      from: Date.parse('2026-11-25T00:00:00+09:00'),
      to: Date.parse('2026-11-26T00:00:00+09:00'),
    });
    expect(readView({ from: '-1h30m', to: '-1h' }).range).toMatchObject({ kind: 'fixed' });
  });

  it('of the last hour ends now', () => {
    const { range } = readView({ range: '1h' });
    expect(endsOf(range, 10_000_000)).toEqual({ from: 6_400_000, to: 10_000_000 });
  });
});
