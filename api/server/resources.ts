import { consoleOperations } from '../console/operations.ts';
import { consoleRoutes } from '../console/routes.ts';
import { signInRoutes } from '../console/sign-in-routes.ts';
import { devices } from '../devices/routes.ts';
import type { Operation } from '../http/operation.ts';
import type { Api } from '../http/schemas.ts';
import { influx } from '../influx/operations.ts';
import { influxRoutes } from '../influx/routes.ts';
import { management } from '../management/routes.ts';
import { messages } from '../messages/routes.ts';
import { benchRoutes } from '../operations/bench/routes.ts';
import { healthRoutes } from '../operations/health.ts';
import { passing, service } from '../operations/operations.ts';
import { queueOperations } from '../operations/queues/operations.ts';
import { queueRoutes } from '../operations/queues/routes.ts';
import { stateRoutes } from '../operations/state.ts';
import type { Dependencies } from './dependencies.ts';

/** Operations with the routes that do them. */
type Resource = {
  operations: readonly Readonly<Record<string, Operation>>[];
  routes: (api: Api, dependencies: Dependencies) => void;
};

/** Of the service itself. The routes of the document and of the edge come before all others. */
function serviceRoutes(api: Api, dependencies: Dependencies): void {
  healthRoutes(api, dependencies);
  stateRoutes(api, dependencies);
  queueRoutes(api, dependencies);
  benchRoutes(api, dependencies);
  consoleRoutes(api, dependencies);
  signInRoutes(api, dependencies);
}

export const resources: readonly Resource[] = [
  ...management,
  ...devices,
  ...messages,
  { operations: [influx], routes: influxRoutes },
  { operations: [service, queueOperations, passing, consoleOperations], routes: serviceRoutes },
];

/**
 * Every operation of the API. The server starts only if each has a route, and each route one of these; the document,
 * the tests of rights and of the audit log read this list.
 */
export const operations: readonly Operation[] = resources.flatMap((resource) =>
  resource.operations.flatMap((group) => Object.values(group)),
);
