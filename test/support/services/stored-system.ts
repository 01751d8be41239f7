import { storeUrl } from '../../../infra/runtime/stores/cluster.ts';
import { clusterName, startCluster } from './cluster/trial.ts';
import { type ClusterStore, type OwnSystem, startSystem, withStore } from '../system.ts';

/** Starts a system of one's own. Its store is its own one server, or with `CLUSTER=yes` two shards beside it. */
export async function startStoredSystem(
  env: NodeJS.ProcessEnv,
): Promise<OwnSystem & { cluster: ClusterStore | undefined }> {
  if (env['CLUSTER'] !== 'yes') return { ...(await startSystem()), cluster: undefined };
  const { url, enginePidFile, stop } = await startCluster();
  const settings = { CLICKHOUSE_URL: `${url}/millrace`, CLICKHOUSE_CLUSTER: clusterName };
  const own = await startSystem({ env: settings });
  const cluster = { storeUrl: storeUrl(settings), enginePidFile };
  return {
    ...withStore(own, cluster),
    cluster,
    async stop(failed) {
      await own.stop(failed);
      await stop();
    },
  };
}
