/**
 * The classes that pairs of numbers below `size` connect, as the smallest member of each one's class: the transitive
 * closure of the pairs, in whatever order they come (union by smallest root, paths halved; Tarjan and van Leeuwen 1984).
 */
export function connected(
  size: number,
  pairs: Iterable<{ readonly left: number; readonly right: number }>,
): Int32Array {
  const parent = Int32Array.from({ length: size }, (_, at) => at);
  const rootOf = (of: number): number => {
    let at = of;
    while (parent[at] !== at) {
      const above = parent[at]!;
      parent[at] = parent[above]!;
      at = above;
    }
    return at;
  };
  for (const { left, right } of pairs) {
    const [one, other] = [rootOf(left), rootOf(right)];
    if (one < other) parent[other] = one;
    else parent[one] = other;
  }
  for (let at = 0; at < size; at += 1) parent[at] = rootOf(at);
  return parent;
}
