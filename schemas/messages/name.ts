/** The name of a SenML record, with its base name: RFC 8428 §4.5.1. */
export const senmlNamePattern = '^[A-Za-z0-9][-A-Za-z0-9:./_]*$';

export const senmlNameCharsMax = 1_024;
