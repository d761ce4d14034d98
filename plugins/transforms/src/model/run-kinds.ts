/** The kind of a run that makes one table by one transform. */
export const TRANSFORM_KIND = 'transform';
