import { type Static, Type } from 'typebox';

/** Settings of commands, which the API and the edges share: both make some. */
export const commandSettings = {
  /** For how long a command waits for its thing, where its sender does not say. */
  COMMAND_SECONDS: Type.Integer({ minimum: 1, maximum: 31_536_000, default: 86_400 }),
  /** Commands that may wait for one thing. */
  COMMANDS_PER_THING_MAX: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  /** Things of a group that is commanded whole. */
  COMMANDS_PER_GROUP_MAX: Type.Integer({ minimum: 1, maximum: 100_000, default: 10_000 }),
};

const Settings = Type.Object(commandSettings);

export type CommandLimits = { seconds: number; perThingMax: number; perGroupMax: number };

export function readCommandLimits(settings: Static<typeof Settings>): CommandLimits {
  return {
    seconds: settings.COMMAND_SECONDS,
    perThingMax: settings.COMMANDS_PER_THING_MAX,
    perGroupMax: settings.COMMANDS_PER_GROUP_MAX,
  };
}
