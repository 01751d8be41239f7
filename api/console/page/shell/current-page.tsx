import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { noAnswer } from '../client/failure.ts';
import type { User } from '../client/session.ts';
import { type Page, pages } from '../pages.ts';
import { match, type PageProps, address } from '../router.ts';
import { shellTexts } from '../texts/shell.ts';
import { stateTexts } from '../texts/state.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';

/** Where one arrives without a path. */
const first = '/';

type Found = { page: Page; parameters: Readonly<Record<string, string>> };

/** The page at the address, with its parameters. */
export function pageAt(path: string, user: User): Found | undefined {
  const found = foundAt(path);
  return found?.page.isFor?.(user) === false ? undefined : found;
}

function foundAt(path: string): Found | undefined {
  const wanted = path === '/sign-in' ? first : path;
  for (const page of pages) {
    const parameters = match(page.path, wanted);
    if (parameters !== undefined) return { page, parameters };
  }
  return undefined;
}

type Loaded = { page: Page } & (
  | { kind: 'loaded'; Content: ComponentType<PageProps> }
  | { kind: 'failed' }
);

/** Loads the script of the page at the address, and draws it. */
export function CurrentPage({ user }: { user: User }) {
  const { path } = address.value;
  const found = pageAt(path, user);
  const [loaded, setLoaded] = useState<Loaded>();
  const page = found?.page;
  useEffect(() => {
    if (page === undefined) return;
    page.load().then(
      ({ default: Content }) => setLoaded({ kind: 'loaded', page, Content }),
      () => setLoaded({ kind: 'failed', page }),
    );
  }, [page]);
  if (found === undefined) {
    const { notFound, notFoundText, forAdminsText } = shellTexts;
    const isForOthers = foundAt(path) !== undefined;
    return (
      <Empty
        isPage
        title={isForOthers ? stateTexts.forbidden : notFound}
        text={isForOthers ? forAdminsText : notFoundText}
      >
        <ButtonLink href={`#${first}`}>{shellTexts.start}</ButtonLink>
      </Empty>
    );
  }
  if (loaded === undefined || loaded.page !== page) return <Loading />;
  // A newer release has other scripts: a reload brings them.
  if (loaded.kind === 'failed')
    return <Failed isPage failure={noAnswer} again={() => location.reload()} />;
  return <loaded.Content key={path} parameters={found.parameters} />;
}
