declare const shape: unique symbol;

/** A typed name of a contribution point, `noun.word`: many plugins give values, one collector reads them. */
export interface ContributionPoint<T> {
  readonly id: string;
  readonly [shape]?: T;
}

/** Declares a contribution point; the collector's contract exports it with the type of what is given. */
export function contributionPoint<T>(id: `${string}.${string}`): ContributionPoint<T> {
  return { id };
}
