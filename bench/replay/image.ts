/** The image of the connector that prints a file, as its pattern names it. */
export const REPLAY_IMAGE = 'weir/bench-replay:1.0.0';
