import { type Sample, everywhere, anywhere, anyone, ofThing } from './sample.ts';

export const samplesOfMessages: Readonly<Record<string, Sample>> = {
  readMessages: {
    method: 'GET',
    path: (place) => `/reader/senml?publisher=${place.thingId}`,
    good: 200,
    places: everywhere,
    rule: ofThing('viewer'),
  },
  searchMessages: {
    method: 'POST',
    path: () => '/reader/senml/search',
    body: (place) => ({ publisher: place.thingId, limit: 1 }),
    good: 200,
    places: everywhere,
    rule: ofThing('viewer'),
  },
  exportMessages: {
    method: 'GET',
    path: (place) => `/reader/json/export?publisher=${place.thingId}`,
    good: 200,
    places: everywhere,
    rule: ofThing('viewer'),
  },
  followMessages: {
    method: 'GET',
    path: (place) => `/reader/json/live?publisher=${place.thingId}`,
    good: 200,
    places: everywhere,
    rule: ofThing('viewer'),
  },
  deleteMessages: {
    method: 'DELETE',
    // Long before there was a message: what others of this system store stays.
    path: () => '/reader/senml?from=2001-01-01&to=2001-01-02',
    good: 204,
    places: anywhere,
    rule: anyone,
  },
  deleteMessagesOfThing: {
    method: 'DELETE',
    path: (place) => `/reader/senml/${place.thingId}?from=2001-01-01&to=2001-01-02`,
    good: 204,
    places: everywhere,
    rule: ofThing('admin'),
  },
  backupMessages: { method: 'GET', path: () => '/reader/backup', good: 200, places: anywhere },
  restoreMessages: {
    method: 'POST',
    path: () => '/reader/restore',
    body: () => ({ json_messages: [], senml_messages: [] }),
    good: 201,
    places: anywhere,
  },
  passToEdge: {
    method: 'POST',
    path: () => '/http/messages',
    body: () => [{ n: 'a', v: 1 }],
    good: 202,
    places: anywhere,
    rule: (caller) => (caller === 'a thing' ? 'allowed' : 401),
  },
};
