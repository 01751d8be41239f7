import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../../schemas/client/generated/routes.ts';

/** Links and streams of a page, and the part of their address in its source. */
const linked: Readonly<Record<string, string>> = {
  exportMessages_senml: '${path}/export',
  exportMessages_json: '${path}/export',
  exportOrgAudit: '/audit/export',
  exportGroupAlarms: '${alarmsPath(place)}/export',
  exportOrgAlarms: '${alarmsPath(place)}/export',
  exportAlarms: '${alarmsPath(place)}/export',
  followMessages_senml: '/reader/${format}/live',
  followMessages_json: '/reader/${format}/live',
  followGroupAlarms: '${path}/live',
  followOrgAlarms: '${path}/live',
  followAlarms: '${path}/live',
  backupMessages: '/reader/backup',
  restoreMessages: '/reader/restore',
};

/** Operations that no page needs, and why. */
const notForPeople: Readonly<Record<string, readonly string[]>> = {
  'a thing does it, with its key': [
    'sendMessages',
    'sendMessagesOfSubtopic',
    'writeLines',
    'writeLinesOfVersion2',
    'pingAsInfluxDb',
    'receiveCommands',
    'acknowledgeCommand',
  ],
  'it is for servers and programs, which have a token or a key': [
    'issueToken',
    'identifyThing',
    'queryInflux',
    'queryInflux_post',
    'viewRevocationList',
    'viewHealth',
    'viewHealth_live',
    'viewHealth_ready',
    'viewHealth_reader',
    'viewMetrics',
    'viewBenchResults',
    'viewDocs',
  ],
  'a list with filters, which the pages read, answers the same': [
    'searchOrgs',
    'searchGroups',
    'searchOrgGroups',
    'searchProfiles',
    'searchGroupProfiles',
    'searchOrgProfiles',
    'searchThings',
    'searchGroupThings',
    'searchOrgThings',
    'searchProfileThings',
    'searchUsers',
    'exportThingAlarms',
    'exportAudit',
    'searchOrgDashboards',
    'searchGroupDashboards',
    'listGroupAnnotations',
  ],
  'the same is done for one, or shown by what lists it': [
    'deleteGroups',
    'deleteProfiles',
    'deleteWebhooks_delete',
    'viewProfileGroup',
    'viewCertificate',
    'viewCommand',
    'viewKey',
    'viewAnnotation',
    'viewQueueJob',
    'viewUser',
    'viewOwnMetadata',
  ],
  'it removes from all that one administers at once: no page offers that': [
    'deleteMessages_senml',
    'deleteMessages_json',
  ],
  'older groups are trees of another system, whose roots no operation lists': [
    'createTreeGroup',
    'viewTreeGroup',
    'updateTreeGroup',
    'deleteTreeGroup',
    'listTreeParents',
    'listTreeChildren',
    'addTreeMembers',
    'removeTreeMembers',
    'listTreeMembers',
    'listTreeUsers',
    'listTreeThings',
    'listTreeGroupsOfMember',
  ],
};

const root = new URL('../../api/console/page', import.meta.url).pathname;
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /(?<!\.test)\.tsx?$/.test(path))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n');

/** To ask whether one may is not to do it. */
const calls = sources.replaceAll(/\bmay\w*\(\s*(?:[\w.]+,\s*)?'\w+'|\bneeds: '\w+'/g, '');
const isCalled = (operation: string) => new RegExp(`'${operation}'|"${operation}"`).test(calls);

describe('every operation of the API', () => {
  const operations = Object.keys(needs);
  const excused = Object.values(notForPeople).flat();

  it('is called by a page of the console, is a link of one, or has a reason why not', () => {
    const known = new Set([...Object.keys(linked), ...excused]);
    expect(operations.filter((operation) => !isCalled(operation) && !known.has(operation))).toEqual(
      [],
    );
  });

  it('is there, if it has such a reason, and has one only', () => {
    const all = [...Object.keys(linked), ...excused];
    expect(all.filter((operation) => !Object.hasOwn(needs, operation))).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
  });

  it('has no such reason once a page calls it', () => {
    expect(excused.filter(isCalled)).toEqual([]);
  });

  it('stands in the source of a page by its address, if it is a link', () => {
    for (const [operation, address] of Object.entries(linked)) {
      expect(sources, operation).toContain(address);
    }
  });
});
