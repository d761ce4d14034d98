/** Which room imports which, with one import of each pair in words. */
export type Imports = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface Circle {
  readonly rooms: readonly string[];
  /** One import for each pair of rooms of the circle. */
  readonly imports: readonly string[];
}

function reached(from: string, imports: Imports): Set<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let room = open.pop(); room !== undefined; room = open.pop()) {
    for (const next of imports.get(room)?.keys() ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return seen;
}

/** The rooms from which imports lead back to them, those of one circle together. */
export function circlesOf(imports: Imports): Circle[] {
  const ends = new Map([...imports.keys()].map((room) => [room, reached(room, imports)]));
  const inCircle = [...ends.keys()].filter((room) => ends.get(room)?.has(room)).sort();
  const known = new Set<string>();
  return inCircle.flatMap((first) => {
    if (known.has(first)) return [];
    const rooms = inCircle.filter((room) => ends.get(first)?.has(room) && ends.get(room)?.has(first));
    for (const room of rooms) known.add(room);
    const lines = rooms.flatMap((room) =>
      [...(imports.get(room) ?? [])].filter(([to]) => rooms.includes(to)).map(([, line]) => line),
    );
    return [{ rooms, imports: lines }];
  });
}
