const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether what was typed is an id; anything else is a name. */
export const isId = (given: string): boolean => UUID.test(given);
