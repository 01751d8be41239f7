import { expect, it } from 'vitest';
import { coordinatesOf } from './coordinates.ts';

it('coordinates are found under their usual names, and only if they are of this world', () => {
  const graz = { latitude: 47.07, longitude: 15.44 };
  expect(coordinatesOf({ ...graz, room: 1 })).toEqual(graz);
  expect(coordinatesOf({ lat: 47.07, lon: 15.44 })).toEqual(graz);
  expect(coordinatesOf({ lat: '47.07', lng: ' 15.44 ' })).toEqual(graz);
  expect(coordinatesOf({ latitude: 0, longitude: 0 })).toEqual({ latitude: 0, longitude: 0 });
  for (const none of [
    {},
    { latitude: 47 },
    { latitude: 91, longitude: 0 },
    { lat: '', lon: '' },
    { lat: null, lon: true },
    { lat: Number.NaN, lon: 1 },
  ]) {
    expect(coordinatesOf(none)).toBeUndefined();
  }
});
