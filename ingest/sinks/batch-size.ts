/**
 * How many frames the next batch may have. A batch that is refused is halved until the frame that is to blame
 * stands alone; each batch that is taken doubles it again.
 */
export const unbounded = Number.MAX_SAFE_INTEGER;

/** `frames`: more than one. */
export const halved = (frames: number): number => Math.floor(frames / 2);

export const doubled = (framesMax: number): number => Math.min(framesMax * 2, unbounded);
