/** What a source may be called. */
export const NAME = /^[a-z][a-z0-9_-]{0,62}$/;
export const NAME_RULE = 'A lower-case letter first, then lower-case letters, digits, _ and -; at most 63.';
