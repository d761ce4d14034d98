declare const shape: unique symbol;

/** A typed name of a service, `plugin.noun@major`. One plugin owns it, many may use it. */
export interface ServiceToken<T> {
  readonly id: string;
  readonly [shape]?: T;
}

/** Declares the token of a service; the owning plugin's contract exports it with the service's type. */
export function service<T>(id: `${string}.${string}@${number}`): ServiceToken<T> {
  return { id };
}
