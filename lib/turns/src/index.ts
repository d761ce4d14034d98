export { type Call, callTurns, goneOfCall, inCall, takeForCall } from './call-turns.ts';
export { type InFlight, inFlight } from './in-flight.ts';
export { keptAnswer } from './kept-answer.ts';
export { type PoolTurns, poolTurns } from './pool-turns.ts';
export { type Repetition, repeat } from './repeat.ts';
export {
  createTurns,
  type Taker,
  TurnRefused,
  type Turns,
  type TurnsClock,
  type TurnsOptions,
  type Waiting,
} from './turns.ts';
