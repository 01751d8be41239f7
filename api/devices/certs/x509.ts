// oxlint-disable-next-line import/no-unassigned-import -- the library needs it to be loaded first
import 'reflect-metadata';

/** All files import the library from here, after what it needs. */
export * from '@peculiar/x509';
