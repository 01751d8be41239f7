import type { Sample } from './sample.ts';
import { samplesOfCerts } from './certs.ts';
import { samplesOfGroups } from './groups.ts';
import { samplesOfMessages } from './messages.ts';
import { samplesOfOperations } from './operations.ts';
import { samplesOfOrgs } from './orgs.ts';
import { samplesOfProfiles } from './profiles.ts';
import { samplesOfThings } from './things.ts';
import { samplesOfTrees } from './trees.ts';
import { samplesOfUsers } from './users.ts';
import { samplesOfWebhooks } from './webhooks.ts';

/** One good request of each operation. */
export const samples: Readonly<Record<string, Sample>> = {
  ...samplesOfUsers,
  ...samplesOfOrgs,
  ...samplesOfGroups,
  ...samplesOfProfiles,
  ...samplesOfThings,
  ...samplesOfCerts,
  ...samplesOfWebhooks,
  ...samplesOfTrees,
  ...samplesOfMessages,
  ...samplesOfOperations,
};
