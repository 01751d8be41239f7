import type { Operations } from '../../client/call.ts';
import { texts } from '../../texts.ts';

type Process = Operations['processes'][number];

/** Something that an operator should look at. */
export type Problem = { tone: 'warn' | 'bad'; title: string; text: string };

export const kinds = ['edge', 'api', 'workers'] as const satisfies Process['kind'][];

/** What is not as it should be, the worst first. */
export function problemsOf({ processes }: Operations): Problem[] {
  const words = texts.operations;
  const missing = kinds
    .filter((kind) => processes.every((one) => one.kind !== kind || one.state === 'stopped'))
    .map((kind): Problem => {
      return { tone: 'bad', title: words.missing(words.kinds[kind]), text: words.missingText };
    });
  const silent = processes
    .filter(({ state }) => state === 'silent')
    .map((one): Problem => {
      return { tone: 'bad', title: words.silent(nameOf(one)), text: words.silentText };
    });
  const checks = processes
    .filter(({ state }) => state === 'running')
    .flatMap((one) =>
      one.checks
        .filter(({ status }) => status !== 'pass')
        .map(({ part, status, output = words.checks[status] }): Problem => {
          const tone = status === 'fail' ? 'bad' : 'warn';
          return { tone, title: words.check(nameOf(one), part), text: output };
        }),
    );
  const all = [...missing, ...silent, ...checks];
  return [
    ...all.filter(({ tone }) => tone === 'bad'),
    ...all.filter(({ tone }) => tone === 'warn'),
  ];
}

/** As a person names a process: `Edge mill-1:8081`. */
export const nameOf = ({ kind, name }: Process): string =>
  `${texts.operations.kinds[kind]} ${name}`;
