/**
 * Reason codes of MQTT 5 by name (§2.4, table 2-6). All of Millrace speaks these; `returnCodeOf` says
 * which a peer of 3.1.1 gets. A code that has several names in the standard has the shortest here: `success` is
 * also "normal disconnection" and "granted QoS 0".
 */
export const reasons = {
  success: 0x00,
  grantedQos1: 0x01,
  grantedQos2: 0x02,
  disconnectWithWill: 0x04,
  noMatchingSubscribers: 0x10,
  noSubscriptionExisted: 0x11,
  continueAuthentication: 0x18,
  reAuthenticate: 0x19,
  unspecifiedError: 0x80,
  malformedPacket: 0x81,
  protocolError: 0x82,
  implementationSpecificError: 0x83,
  unsupportedProtocolVersion: 0x84,
  clientIdNotValid: 0x85,
  badUserNameOrPassword: 0x86,
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  serverBusy: 0x89,
  banned: 0x8a,
  serverShuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  sessionTakenOver: 0x8e,
  topicFilterInvalid: 0x8f,
  topicNameInvalid: 0x90,
  packetIdInUse: 0x91,
  packetIdNotFound: 0x92,
  receiveMaximumExceeded: 0x93,
  topicAliasInvalid: 0x94,
  packetTooLarge: 0x95,
  messageRateTooHigh: 0x96,
  quotaExceeded: 0x97,
  administrativeAction: 0x98,
  payloadFormatInvalid: 0x99,
  retainNotSupported: 0x9a,
  qosNotSupported: 0x9b,
  useAnotherServer: 0x9c,
  serverMoved: 0x9d,
  sharedSubscriptionsNotSupported: 0x9e,
  connectionRateExceeded: 0x9f,
  maximumConnectTime: 0xa0,
  subscriptionIdsNotSupported: 0xa1,
  wildcardSubscriptionsNotSupported: 0xa2,
} as const;

export type ReasonCode = (typeof reasons)[keyof typeof reasons];

/** As operators read it. */
export const hexOf = (reason: ReasonCode): string => `0x${reason.toString(16).padStart(2, '0')}`;

/** From here on a reason code tells of a failure (§2.4). */
export const firstFailure = 0x80;

/** Return codes of a CONNACK of 3.1.1 (§3.2.2.3, table 3.1). */
export const returnCodes = {
  accepted: 0,
  unacceptableProtocolVersion: 1,
  identifierRejected: 2,
  serverUnavailable: 3,
  badUserNameOrPassword: 4,
  notAuthorized: 5,
} as const;

type ReturnCode = (typeof returnCodes)[keyof typeof returnCodes];

const inPlaceOf: Partial<Record<ReasonCode, ReturnCode>> = {
  [reasons.success]: returnCodes.accepted,
  [reasons.unsupportedProtocolVersion]: returnCodes.unacceptableProtocolVersion,
  [reasons.clientIdNotValid]: returnCodes.identifierRejected,
  [reasons.badUserNameOrPassword]: returnCodes.badUserNameOrPassword,
  [reasons.serverUnavailable]: returnCodes.serverUnavailable,
  [reasons.serverBusy]: returnCodes.serverUnavailable,
  [reasons.serverShuttingDown]: returnCodes.serverUnavailable,
  [reasons.quotaExceeded]: returnCodes.serverUnavailable,
  [reasons.connectionRateExceeded]: returnCodes.serverUnavailable,
};

/** The return code of a CONNACK of 3.1.1 in place of a reason of 5. "Not authorised" stands for all that it lacks. */
export function returnCodeOf(reason: ReasonCode): ReturnCode {
  return inPlaceOf[reason] ?? returnCodes.notAuthorized;
}
