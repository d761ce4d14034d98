/** Exit code of a process that refuses to start (EX_CONFIG of sysexits.h). */
export const EXIT_REFUSED = 78;

/** Thrown when the platform must not start; carries every fault found, each one line. */
export class Refusal extends Error {
  readonly faults: readonly string[];

  constructor(reason: string, faults: readonly string[]) {
    super(`${reason}: ${faults.join('; ')}`);
    this.name = 'Refusal';
    this.faults = faults;
  }
}
