/** The drawings, on a grid of 24. */
const paths = {
  things: 'M12 3 4 7.5v9L12 21l8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  dashboards: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  explore: 'M3 20h18M4 15l5-6 4 4 7-8',
  webhooks: 'M13 3 5 13.5h6L11 21l8-10.5h-6z',
  organization:
    'M4 20v-1a5 5 0 0 1 5-5h1a5 5 0 0 1 5 5v1M9.500 10.500a3.250 3.250 0 1 0 0-6.500 3.250 3.250 0 0 0 0 6.500M16 4.500a3.250 3.250 0 0 1 0 6M17.500 14.200A5 5 0 0 1 20.500 19v1',
  operations: 'M3 12h4l3-8 4 16 3-8h4',
  docs: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5',
  bench: 'M5 20V10M12 20V4M19 20v-7',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13M20 20l-4.500-4.500',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  light:
    'M12 16.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9M12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400',
  dark: 'M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z',
  auto: 'M12 3.500a8.500 8.500 0 1 0 0 17zM12 3.500a8.500 8.500 0 0 1 0 17',
  leave: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
  download: 'M12 4v11M7.500 10.500 12 15l4.500-4.500M5 20h14',
  link: 'M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1',
  again:
    'M20 11a8 8 0 0 0-14-4.500L4 8.500M4 4v4.500h4.500M4 13a8 8 0 0 0 14 4.500l2-2M20 20v-4.500h-4.500',
  left: 'M14.500 6 8.500 12l6 6',
  right: 'M9.500 6l6 6-6 6',
  out: 'M11 11 20 4M14 4h6v6M19 14v6H4V5h6',
  eye: 'M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12zM12 14.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5',
  wider: 'M4 12h16M8 8l-4 4 4 4M16 8l4 4-4 4',
  wall: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M12 12v.1',
  move: 'M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3',
  choose: 'M8 9.500l4-4 4 4M8 14.500l4 4 4-4',
  play: 'M7 5v14l11-7z',
  home: 'M4 11 12 4l8 7v9h-5.500v-6h-5v6H4z',
  more: 'M5.500 12h.1M12 12h.1M18.500 12h.1',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  options: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4',
  note: 'M6 21V4h11l-2.500 4 2.500 4H6',
  pause: 'M8 5v14M16 5v14',
  alarms: 'M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 20.500h4',
  silence: 'M9 5.700A6 6 0 0 1 18 11v4M6 9v7l-1.500 2H16M10 20.500h4M4 3.500l16 17',
  critical:
    'M8.300 3.500h7.400l4.800 4.800v7.400l-4.800 4.800H8.300l-4.800-4.800V8.300zM12 8v5M12 16v.1',
  warning: 'M12 4 2.800 19.500h18.400zM12 10v4.500M12 17v.1',
  info: 'M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17M12 11v5M12 8v.1',
};

export type IconName = keyof typeof paths;

/** A drawing beside a word, or in a button that names itself. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="var(--accent)" />
      <path
        d="M4 9c2.700 0 2.700 2 5.300 2s2.700-2 5.400-2 2.600 2 5.300 2M4 14c2.700 0 2.700 2 5.300 2s2.700-2 5.400-2 2.600 2 5.300 2"
        fill="none"
        stroke="var(--on-accent)"
        stroke-width="2"
        stroke-linecap="round"
      />
    </svg>
  );
}
