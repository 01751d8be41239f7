import type { Query } from '../router.ts';
import { address, linkTo } from '../router.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { rulesTexts } from '../texts/rules.ts';
import { silencesTexts } from '../texts/silences.ts';
import { receiversTexts } from '../texts/receivers.ts';
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
      label={alarmsTexts.parts}
      current={current}
      tabs={[
        { id: 'alarms', text: alarmsTexts.title, href: linkTo(paths.alarms, query) },
        { id: 'rules', text: rulesTexts.title, href: linkTo(paths.rules, query) },
        { id: 'silences', text: silencesTexts.title, href: linkTo(paths.silences, query) },
        { id: 'receivers', text: receiversTexts.title, href: linkTo(paths.receivers, query) },
      ]}
    />
  );
}
