import { useEffect, useState } from 'preact/hooks';
import { call } from '../client/call.ts';
import type { User } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { goTo } from '../router.ts';
import { paletteTexts } from '../texts/palette.ts';
import { Finder, type Offer } from '../ui/finder.tsx';
import { commandsFor, matching } from './commands.ts';

/** Things that are offered at most. */
const thingsMax = 8;
const typedMs = 150;

/** Finds pages, actions and things by name. */
export function Palette({ user, onClose }: { user: User; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const things = useThings(typed);
  return (
    <Finder
      label={paletteTexts.label}
      placeholder={paletteTexts.placeholder}
      none={paletteTexts.none}
      typed={typed}
      onType={setTyped}
      offers={[...matching(commandsFor(user), typed), ...things]}
      onClose={onClose}
    />
  );
}

/** Things whose name has what was typed, once the typing pauses. */
function useThings(typed: string): Offer[] {
  const [name, setName] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setName(typed.trim()), typedMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const { value } = useRead(name === '' ? undefined : name, (signal) =>
    call('listThings', { query: { name, limit: thingsMax, order: 'name', dir: 'asc' } }, signal),
  );
  if (name === '' || typed.trim() === '') return [];
  return (value?.things ?? []).map(({ id, name: text }) => ({
    key: id,
    text,
    kind: paletteTexts.thing,
    run: () => goTo(`/things/${id}`),
  }));
}
