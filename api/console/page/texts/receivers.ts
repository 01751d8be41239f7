export const receiversTexts = {
  title: 'Receivers',
  of: 'Who is told',
  text: {
    group: 'Of alarms of this group whose rule names nobody.',
    org: 'Of alarms of this org whose rule and group name nobody.',
  },
  hearings: {
    group: {
      default: 'Those of the org',
      own: 'Webhooks and mails of its own',
      nobody: 'Nobody',
    },
    org: { default: 'Nobody (the default)', own: 'Webhooks and mails', nobody: 'Nobody' },
  },
  saved: 'The receivers are saved.',
  noPlace: 'This is for editors of groups',
  noPlaceText: 'Who is an editor of a group, or owns the org, says who is told of its alarms.',
};
