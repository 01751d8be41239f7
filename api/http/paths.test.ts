import { describe, expect, it } from 'vitest';
import { toRoute } from './paths.ts';

describe('the path of a request', () => {
  it.each([
    ['/orgs', '/orgs'],
    ['/svcthings/orgs/1/groups', '/orgs/1/groups'],
    ['/svcauth/groups?limit=1', '/groups?limit=1'],
    ['/svcthings', '/svcthings'],
    ['/svcother/orgs', '/svcother/orgs'],
    ['/orgs/', '/orgs'],
    ['/orgs/?limit=1', '/orgs?limit=1'],
    ['/', '/'],
    ['/docs/', '/docs/'],
    ['/http/messages/', '/http/messages/'],
    ['http://host:1/orgs/?a=/', '/orgs?a=/'],
    ['HTTPS://host', '/'],
    ['*', '/*'],
  ])('%s is routed as %s', (url, path) => {
    expect(toRoute(url)).toBe(path);
  });
});
