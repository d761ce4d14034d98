type Given<T extends object> = { [N in keyof T]?: Exclude<T[N], undefined> };

/** The members that hold something: neither undefined nor an empty text. */
export function given<T extends object>(members: T): Given<T> {
  const held = Object.entries(members).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(held) as Given<T>;
}
