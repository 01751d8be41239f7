import { type Static, Type } from 'typebox';
import { NextMessage } from '../resources/next-message.ts';

/**
 * The Redis channel on which an API tells the edges that somebody waits for the next message of a thing: its id. It may get
 * lost: then the wait ends without a message, and is begun again.
 */
export const awaitedThingsChannel = 'millrace:awaited-things';

/** The Redis channel on which an edge tells the APIs of such a message. */
export const nextMessagesChannel = 'millrace:next-messages';

/** A message, and the things that it is of: a body of lines from a gateway may be of several. */
export const AwaitedMessage = Type.Object({
  things: Type.Array(Type.String()),
  message: NextMessage,
});
export type AwaitedMessage = Static<typeof AwaitedMessage>;
