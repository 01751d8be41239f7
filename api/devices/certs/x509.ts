// oxlint-disable-next-line import/no-unassigned-import -- the library needs it to be there first
import 'reflect-metadata';

/** Everyone takes the library from here. */
export * from '@peculiar/x509';
