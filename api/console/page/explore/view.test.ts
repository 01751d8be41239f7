import { describe, expect, it } from 'vitest';
import { endsOf, fixedRange, queryOf, readView, type View } from './view.ts';

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
        { format: 'json', thing, name: 'motor.rpm', isHidden: true },
        { format: 'senml', thing, name: 'a', isOfGroup: true, isHidden: true },
      ],
      range: { kind: 'fixed', from: 1_700_000_000_000, to: 1_700_000_060_000 },
      aggregate: 'avg',
      gaps: 'linear',
      timeZone: 'Asia/Kathmandu',
      isLive: false,
      interval: '15m',
      before: 'week',
      style: 'steps',
      isLog: true,
      axisEnds: { 'l|s:%': { from: -20.5, to: 1e9 }, '': { to: 0 } },
      marks: ['rules', 'notes'],
    };
    expect(readView(throughLink(view))).toEqual(view);
    const last: View = {
      ...view,
      range: { kind: 'last', text: '15m', seconds: 900 },
      isLive: true,
      marks: [],
      axisEnds: {},
    };
    expect(readView(throughLink(last))).toEqual(last);
  });

  it('leaves out what is not understood', () => {
    const nonsense = {
      series: `xml:1:a|senml:../../etc:a|senml:|senml-org:${thing}:a`,
      range: '1e9y',
      from: 'today',
      aggregate: 'all',
      tz: '<b>',
      interval: '2s',
      before: 'year',
      style: 'pie',
      scale: 'cube',
      y: 'Cel:5:1|%:a:b|Pa|:',
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

  it('has no times that the API does not take, and some length', () => {
    const all = fixedRange(-1e15, 1e15);
    expect(all).toEqual({ kind: 'fixed', from: Date.UTC(1971, 0), to: Date.UTC(2100, 0) });
    expect(fixedRange(1e15, 2e15)).toMatchObject({ to: Date.UTC(2100, 0) });
    expect(fixedRange(1e12, 1e12)).toEqual({ kind: 'fixed', from: 1e12, to: 1e12 + 10 });
  });

  it('of the last hour ends now', () => {
    const { range } = readView({ range: '1h' });
    expect(endsOf(range, 10_000_000)).toEqual({ from: 6_400_000, to: 10_000_000 });
  });
});
