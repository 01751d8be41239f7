import { againstBare, syncedAgainstUnsynced } from './bare/requests.ts';
import { besideReads } from './reading/beside-reads.ts';
import { besideWebhooks } from './webhooks/beside-webhooks.ts';
import { catchingUp } from './store/catching-up.ts';
import { commands } from './edge/commands.ts';
import { connectionsHeld } from './edge/connections.ts';
import type { Scenario } from '../harness/setup.ts';
import { alarms } from './edge/alarms.ts';
import { alarmsOfMany } from './edge/alarms-of-many.ts';
import { growthOfConnections, growthOfEdges, growthOfThings } from './edge/growth.ts';
import { growthOfRecords } from './store/growth-of-records.ts';
import { halfLoad } from './edge/half-load.ts';
import { idle } from './idle.ts';
import { idleFleet } from './fleet/idle-fleet.ts';
import { influxql } from './reading/influxql.ts';
import { management } from './reading/management.ts';
import { lines, peers } from '../peers/peers.ts';
import { memory } from './edge/memory.ts';
import { micro } from './edge/micro.ts';
import { millionThings } from './reading/million-things.ts';
import { mqtt } from './edge/mqtt.ts';
import { mixedFleet } from './edge/mixed-fleet.ts';
import { packs } from './edge/packs.ts';
import { reach } from './reading/reach.ts';
import { reading } from './reading/reading.ts';
import { recovery } from './store/recovery.ts';
import { smoke } from './smoke.ts';
import { streams } from './edge/streams.ts';
import { storing } from './store/storing.ts';
import { steady, sustained } from './edge/sustained.ts';
import { tenMillion } from './fleet/ten-million.ts';
import { webhookDeliveries } from './webhooks/webhooks.ts';
import { webhookSink } from './webhooks/sink.ts';

export const scenarios: Record<string, Scenario> = {
  micro,
  againstBare,
  syncedAgainstUnsynced,
  packs,
  streams,
  mqtt,
  connections: connectionsHeld,
  commands,
  alarms,
  alarmsOfMany,
  mixedFleet,
  storing,
  sustained,
  steady,
  halfLoad,
  idle,
  catchingUp,
  recovery,
  besideReads,
  besideWebhooks,
  memory,
  management,
  millionThings,
  reading,
  influxql,
  reach,
  webhookSink,
  webhookDeliveries,
  peers,
  lines,
  growthOfConnections,
  growthOfEdges,
  growthOfThings,
  growthOfRecords,
  tenMillion,
  idleFleet,
  smoke,
};
