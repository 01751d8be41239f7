import type { Operation } from '../../../api/permissions.ts';
import { type Built, buildApi } from './build.ts';
import type { Method } from './http.ts';

/** A route of the API, as its schemas have it. */
export type Route = {
  method: Method;
  /** With `:id` for each parameter. */
  url: string;
  operation: Operation;
  /** What its query string takes, by name. */
  query: Readonly<Record<string, FieldSchema>>;
};

export type FieldSchema = { type?: unknown; enum?: readonly unknown[] };

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Method[];

const isMethod = (method: string): method is Method => methods.includes(method);

/** Every route the API has. */
export async function allRoutes(): Promise<Route[]> {
  const api: Built = buildApi();
  const routes: Route[] = [];
  api.server.addHook('onRoute', ({ method, url, config, schema }) => {
    for (const one of [method].flat()) {
      if (!isMethod(one) || config === undefined) continue;
      const path = url.replace(/\(.*?\)(?=\/|$)/g, '');
      const query = propertiesOf(schema?.querystring);
      routes.push({ method: one, url: path, operation: config.operation, query });
    }
  });
  await api.server.ready();
  await api.close();
  return routes;
}

function propertiesOf(schema: unknown): Readonly<Record<string, FieldSchema>> {
  const properties: unknown = Reflect.get(Object(schema), 'properties');
  const fields = Object.entries(Object(properties)).map(([name, field]): [string, FieldSchema] => {
    const allowed: unknown = Reflect.get(Object(field), 'enum');
    const type: unknown = Reflect.get(Object(field), 'type');
    return [name, { type, ...(Array.isArray(allowed) ? { enum: allowed } : {}) }];
  });
  return Object.fromEntries(fields);
}
