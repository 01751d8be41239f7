import { NewSilence, Silence, Silences, SilencesQuery } from '../../../schemas/resources/alarm.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

export const silences = operations('alarms', {
  createSilence: {
    method: 'POST',
    path: '/groups/:id/silences',
    needs: { kind: 'member', role: 'editor', of: 'group' },
    body: NewSilence,
    answers: { 201: Silence },
    location: 'the silence',
    summary: 'Tell nobody of alarms until a time: of a group, of a rule, of a thing',
    about:
      'With a rule and a thing: of the alarms of this rule for this thing. Alarms are noted all the same. At most 1,000 silences of a group that have not ended.',
    errors: ['conflict'],
    audit: 'silence',
  },
  listSilences: {
    method: 'GET',
    path: '/groups/:id/silences',
    needs: { kind: 'member', role: 'viewer', of: 'group' },
    query: SilencesQuery,
    answers: { 200: Silences },
    summary: 'List the silences of a group',
  },
  endSilence: {
    method: 'DELETE',
    path: '/silences/:id',
    needs: { kind: 'member', role: 'editor', of: 'silence' },
    answers: { 204: Empty },
    summary: 'End a silence now',
    about: 'It stays in the list as one that has ended. One that has ended already stays as it is.',
    audit: 'silence',
    removes: true,
  },
});
