/**
 * What a pure state machine is: it never waits, reads no clock and touches nothing. It is told what happened and says
 * what is to be done; whoever drives it does that over ports and tells it the answers.
 */
export interface Machine<State, Event, Effect> {
  readonly initial: State;
  /** The next state and what is to be done now. Equal inputs give equal outputs. */
  step(state: State, event: Event): Step<State, Effect>;
  /** Whether nothing is left to be done; a machine that has ended asks for nothing any more. */
  hasEnded(state: State): boolean;
}

/** The outcome of one event. */
export interface Step<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}
