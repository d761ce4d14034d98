import type { Machine } from './machine.ts';

/** A machine at work. */
export interface Driver<State, Event> {
  /** Tells the machine what happened; after its end nobody listens. */
  send(event: Event): void;
  /** The last state. Rejects when an effect could not even be tried: then what holds is open, and the machine is lost. */
  readonly ended: Promise<State>;
}

/**
 * Drives a machine: each effect is performed as soon as it is asked for, beside those that are under way, and the event
 * that it resolves to, if any, is told to the machine. Events that come while the machine steps wait their turn.
 */
export function drive<State, Event, Effect>(
  machine: Machine<State, Event, Effect>,
  perform: (effect: Effect) => Promise<Event | undefined>,
): Driver<State, Event> {
  const { promise, resolve, reject } = Promise.withResolvers<State>();
  const waiting: Event[] = [];
  let state = machine.initial;
  let stepping = false;

  const act = async (effect: Effect): Promise<void> => {
    const event = await perform(effect);
    if (event !== undefined) send(event);
  };
  const send = (event: Event): void => {
    waiting.push(event);
    if (stepping) return;
    stepping = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (machine.hasEnded(state)) break;
      const step = machine.step(state, next);
      state = step.state;
      for (const effect of step.effects) act(effect).catch(reject);
    }
    stepping = false;
    if (machine.hasEnded(state)) resolve(state);
  };
  return { send, ended: promise };
}
