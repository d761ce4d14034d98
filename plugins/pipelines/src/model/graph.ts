/** A step by what it reads and writes; datasets in lower case. */
export interface Node {
  /** Unique among all nodes. */
  id: string;
  output: string | undefined;
  inputs: readonly string[];
  /** Ids of nodes that end first although nothing of theirs is read. */
  after: readonly string[];
}

/** For each node those that it waits for. */
function waitsOf(nodes: readonly Node[]): Map<string, string[]> {
  const writers = Map.groupBy(nodes, ({ output }) => output);
  const known = new Set(nodes.map(({ id }) => id));
  return new Map(
    nodes.map(({ id, inputs, after }) => {
      const written = inputs.flatMap((input) => (writers.get(input) ?? []).map((writer) => writer.id));
      const named = after.filter((other) => other !== id && known.has(other));
      return [id, [...new Set([...written, ...named])]];
    }),
  );
}

/** Ids by how many nodes come before them, one after the other; those of circles and behind them are left out. */
export function wavesOf(nodes: readonly Node[]): string[][] {
  const waits = waitsOf(nodes);
  const places = new Map(nodes.map(({ id }, at) => [id, at]));
  const left = new Map([...waits].map(([id, on]) => [id, on.length]));
  const followers = Map.groupBy(
    [...waits].flatMap(([id, on]) => on.map((other) => ({ id, other }))),
    ({ other }) => other,
  );
  const isReady = (id: string) => left.get(id) === 0;
  const waves: string[][] = [];
  for (let wave = nodes.map(({ id }) => id).filter(isReady); wave.length > 0; ) {
    waves.push(wave);
    const behind = wave.flatMap((id) => (followers.get(id) ?? []).map((follower) => follower.id));
    for (const id of behind) left.set(id, (left.get(id) ?? 0) - 1);
    const next = [...new Set(behind)].filter(isReady);
    wave = next.toSorted((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
  }
  return waves;
}

/** Circles of nodes of which each waits for the next: one at least of each group of nodes that wait for each other. */
export function circlesOf(nodes: readonly Node[]): string[][] {
  const waits = waitsOf(nodes);
  const inWaves = new Set(wavesOf(nodes).flat());
  let left = new Set(nodes.map(({ id }) => id).filter((id) => !inWaves.has(id)));
  const circles: string[][] = [];
  while (left.size > 0) {
    const path: string[] = [];
    let [at] = left;
    while (at !== undefined && !path.includes(at)) {
      path.push(at);
      at = waits.get(at)?.find((on) => left.has(on));
    }
    if (at !== undefined) circles.push(path.slice(path.indexOf(at)));
    // What lies on the path is in the circle, or only waits for it.
    left = left.difference(new Set(path));
  }
  return circles;
}
