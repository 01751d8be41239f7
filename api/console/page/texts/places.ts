export const placesTexts = { where: 'Org or group', orgs: 'Orgs', groups: 'Groups' };
