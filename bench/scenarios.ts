import { againstBare, syncedAgainstUnsynced } from './bare.ts';
import { besideReads } from './beside-reads.ts';
import { besideWebhooks } from './beside-webhooks.ts';
import { catchingUp } from './catching-up.ts';
import { connectionsHeld } from './connections.ts';
import type { Scenario } from './figures.ts';
import { formatsCompared } from './formats.ts';
import { growthOfConnections, growthOfEdges, growthOfThings } from './growth.ts';
import { growthOfRecords } from './growth-records.ts';
import { halfLoad } from './half-load.ts';
import { management } from './management.ts';
import { peers } from './peers/peers.ts';
import { memory } from './memory.ts';
import { micro } from './micro.ts';
import { mixedFleet } from './mixed-fleet.ts';
import { packs } from './packs.ts';
import { reach } from './reach.ts';
import { reading } from './reading.ts';
import { recovery } from './recovery.ts';
import { short } from './short.ts';
import { storing } from './storing.ts';
import { steady, sustained } from './sustained.ts';
import { webhookDeliveries } from './webhooks.ts';
import { webhookSink } from './webhook-sink.ts';

export const scenarios: Record<string, Scenario> = {
  micro,
  againstBare,
  syncedAgainstUnsynced,
  packs,
  formats: formatsCompared,
  connections: connectionsHeld,
  mixedFleet,
  storing,
  sustained,
  steady,
  halfLoad,
  catchingUp,
  recovery,
  besideReads,
  besideWebhooks,
  memory,
  management,
  reading,
  reach,
  webhookSink,
  webhookDeliveries,
  peers,
  growthOfConnections,
  growthOfEdges,
  growthOfThings,
  growthOfRecords,
  short,
};
