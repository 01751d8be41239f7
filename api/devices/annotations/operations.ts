import {
  Annotation,
  AnnotationChange,
  Annotations,
  AnnotationsQuery,
  NewAnnotation,
} from '../../../schemas/resources/annotation.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

const list = { method: 'GET', query: AnnotationsQuery, answers: { 200: Annotations } } as const;

const one = { path: '/annotations/:id' } as const;
const toRead = { kind: 'member', role: 'viewer', of: 'annotation' } as const;
const toWrite = { kind: 'member', role: 'editor', of: 'annotation' } as const;

export const annotations = operations('annotations', {
  createAnnotation: {
    method: 'POST',
    path: '/groups/:id/annotations',
    needs: { kind: 'member', role: 'editor', of: 'group' },
    body: NewAnnotation,
    answers: { 201: Annotation },
    location: 'the annotation',
    summary: 'Annotate a moment or a time of a group, or of one of its things',
    about: 'At most 10,000 annotations of a group. One of a thing goes with it into another group.',
    errors: ['conflict'],
    audit: 'annotation',
  },
  listGroupAnnotations: {
    ...list,
    path: '/groups/:id/annotations',
    needs: { kind: 'member', role: 'viewer', of: 'group' },
    summary: 'List the annotations of a group and of its things',
  },
  listThingAnnotations: {
    ...list,
    path: '/things/:id/annotations',
    needs: { kind: 'member', role: 'viewer', of: 'thing' },
    summary: 'List the annotations of a thing, and those of its whole group',
  },
  viewAnnotation: {
    ...one,
    method: 'GET',
    needs: toRead,
    answers: { 200: Annotation },
    summary: 'View an annotation',
  },
  updateAnnotation: {
    ...one,
    method: 'PUT',
    needs: toWrite,
    body: AnnotationChange,
    answers: { 200: Annotation },
    summary: 'Replace the text and the times of an annotation',
    audit: 'annotation',
  },
  deleteAnnotation: {
    ...one,
    method: 'DELETE',
    needs: toWrite,
    answers: { 204: Empty },
    summary: 'Delete an annotation',
    audit: 'annotation',
    removes: true,
  },
});
