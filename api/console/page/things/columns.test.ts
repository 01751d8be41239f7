import { expect, it } from 'vitest';
import { columnsOf, seriesOf, textOfColumns } from './columns.ts';

it('columns stand in the address, with names that may hold anything', () => {
  const columns = [
    { kind: 'seen' as const },
    { kind: 'metadata' as const, key: 'a,b:c' },
    { kind: 'trend' as const, format: 'senml' as const, name: 'hall:temperature' },
    { kind: 'value' as const, format: 'json' as const, name: 'motor.rpm' },
  ];
  expect(columnsOf(textOfColumns(columns))).toEqual(columns);
  expect(seriesOf(columns)).toHaveLength(2);
});

it('the usual columns need no place in the address, and none are told from these', () => {
  expect(textOfColumns(columnsOf(undefined))).toBeUndefined();
  expect(columnsOf(textOfColumns([]))).toEqual([]);
  expect(columnsOf('seen,seen,nonsense,trend:')).toEqual([{ kind: 'seen' }]);
});
