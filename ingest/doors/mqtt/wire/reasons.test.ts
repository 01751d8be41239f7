import { describe, expect, it } from 'vitest';
import { type ReasonCode, firstFailure, reasons, returnCodeOf, returnCodes } from './reasons.ts';

describe('reasons', () => {
  it('have a return code of 3.1.1, and only success is accepted', () => {
    const accepted = Object.values(reasons).filter(
      (reason: ReasonCode) => returnCodeOf(reason) === returnCodes.accepted,
    );
    expect(accepted).toEqual([reasons.success]);
    expect(returnCodeOf(reasons.badUserNameOrPassword)).toBe(4);
    expect(returnCodeOf(reasons.notAuthorized)).toBe(5);
    expect(returnCodeOf(reasons.quotaExceeded)).toBe(3);
    expect(returnCodeOf(reasons.clientIdNotValid)).toBe(2);
    expect(returnCodeOf(reasons.unsupportedProtocolVersion)).toBe(1);
  });

  it('are those of table 2-6: failures from 0x80 to 0xa2 without a gap', () => {
    const failures = Object.values(reasons).filter((reason) => reason >= firstFailure);
    expect(failures).toEqual(Array.from({ length: 0x23 }, (_, index) => firstFailure + index));
  });
});
