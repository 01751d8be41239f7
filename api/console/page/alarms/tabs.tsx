import type { Query } from '../router.ts';
import { address, linkTo } from '../router.ts';
import { texts } from '../texts.ts';
import { Tabs } from '../ui/page.tsx';

const paths = {
  alarms: '/alarms',
  rules: '/rules',
  silences: '/silences',
  receivers: '/receivers',
} as const;

type Part = keyof typeof paths;

/** The parts of the work with alarms. The place that is chosen goes along. */
export function AlarmTabs({ current }: { current: Part }) {
  const { org, group } = address.value.query;
  const query: Query = { org, group };
  return (
    <Tabs
      label={texts.alarms.parts}
      current={current}
      tabs={[
        { id: 'alarms', text: texts.alarms.title, href: linkTo(paths.alarms, query) },
        { id: 'rules', text: texts.rules.title, href: linkTo(paths.rules, query) },
        { id: 'silences', text: texts.silences.title, href: linkTo(paths.silences, query) },
        { id: 'receivers', text: texts.receivers.title, href: linkTo(paths.receivers, query) },
      ]}
    />
  );
}
