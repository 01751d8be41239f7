import { describe, expect, it } from 'vitest';
import { fileNameOf, wideFile } from './wide-file.ts';

const written = (time: number) => new Date(time * 1_000).toISOString();

describe('the file of what a chart shows', () => {
  it('has a column of times, and one for each line that is shown, with its name and unit', () => {
    const lines = [
      { label: 'Cold room · temperature', unit: 'Cel', values: [1.5, undefined, null] },
      { label: 'Cold room · door', unit: '', values: [undefined, true, undefined] },
      { label: 'Hidden', unit: '', values: [1, 2, 3], isHidden: true },
    ];
    expect(wideFile([0, 60, 120], lines, written)).toBe(
      '\uFEFFtime,Cold room · temperature (Cel),Cold room · door\r\n' +
        '1970-01-01T00:00:00.000Z,1.5,\r\n1970-01-01T00:01:00.000Z,,true\r\n',
    );
  });

  it('keeps a hostile name to one cell, and from being a formula', () => {
    const lines = [{ label: '=HYPERLINK("http://x","a")', unit: '', values: ['-1+1', 'a\n"b"'] }];
    expect(wideFile([0, 1], lines, written)).toContain(
      `time,"'=HYPERLINK(""http://x"",""a"")"\r\n1970-01-01T00:00:00.000Z,'-1+1\r\n` +
        '1970-01-01T00:00:01.000Z,"a\n""b"""\r\n',
    );
  });

  it('is named for what is in it', () => {
    const ends = { from: '2026-11-21T10:00:00', to: '2026-11-22T10:30:00' };
    expect(fileNameOf(['Cold room · temperature'], ends, 'csv')).toBe(
      'Cold-room-temperature_2026-11-21-1000_2026-11-22-1030.csv',
    );
    expect(fileNameOf(['../a', 'b', 'c'], ends, 'png')).toBe(
      'a-and-2-more_2026-11-21-1000_2026-11-22-1030.png',
    );
    expect(fileNameOf(['…'], ends, 'csv')).toMatch(/^explore_/);
  });
});
