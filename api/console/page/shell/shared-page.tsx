import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { noAnswer } from '../client/failure.ts';
import { Failed, Loading } from '../ui/states.tsx';

type Content = ComponentType<{ token: string }>;

/** A dashboard by a link, for whoever has it: without navigation and sign-in. */
export function SharedPage({ token }: { token: string }) {
  const [loaded, setLoaded] = useState<{ Content?: Content }>();
  useEffect(() => {
    import('../dashboards/shared.tsx').then(
      ({ default: Content }) => setLoaded({ Content }),
      () => setLoaded({}),
    );
  }, []);
  if (loaded === undefined) return <Loading />;
  if (loaded.Content === undefined) {
    return (
      <main class="door">
        <Failed isPage failure={noAnswer} again={() => location.reload()} />
      </main>
    );
  }
  return <loaded.Content token={token} />;
}
