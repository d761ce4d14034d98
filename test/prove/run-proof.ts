import { availableParallelism, release } from 'node:os';
import { createLedger, type Ledger } from './look.ts';
import type { Identities } from './platform/programs.ts';
import { type ProofPlatform, proofPlatform } from './platform/proof-platform.ts';
import type { Stopping } from './platform/stopping.ts';
import type { Drive, Effort, Place, Proof, ProofMode } from './proof.ts';
import { judge, type ProofReport } from './report.ts';
import { type Canary, canary } from './search/canary.ts';
import { textsOfRequest } from './search/likely-texts.ts';

export interface ProofOptions {
  readonly modes: readonly ProofMode[];
  readonly effort: Effort;
  /** What must be undone at the end; whoever is interrupted undoes it himself. */
  readonly stopping: Stopping;
  readonly places: readonly Place[];
  readonly drives: readonly Drive[];
  /** What a mode needs beyond the platform; a text says why it cannot be had, and the mode is then not run. */
  prepare(mode: ProofMode, platform: ProofPlatform): Promise<Identities | string>;
  /** Told what is being done. */
  say(line: string): void;
}

/** Drives a platform of its own through every mode, searches every place, and answers what came of it. */
export async function runProof(options: ProofOptions): Promise<ProofReport> {
  const { places, effort, stopping, say } = options;
  const started = new Date();
  const ledger = createLedger();
  const controls = new Map(places.map((place) => [place, (place.control ?? anyControl)(place.name)]));
  for (const control of controls.values()) ledger.plant(control);
  const faults: string[] = [];
  const queue = `source-${[...controls.values()].find(({ field }) => field === 'metrics')?.text ?? 'prove'}`;
  const answers = ledger.look('responses');
  say('servers');
  const platform = await proofPlatform({
    answers,
    queue,
    stopping,
    sends: (request) => ledger.hashed(textsOfRequest(request)),
  });
  const proof: Proof = { effort, platform, ledger, fault: (what) => faults.push(what) };
  let notRun: ProofReport['not_run'] = [];
  const ends: (() => Promise<void>)[] = [];
  try {
    for (const place of places) {
      const end = await place.watch?.(proof, ledger.look(place.name));
      if (end !== undefined) ends.push(end);
    }
    notRun = await everyMode(options, proof, controls);
    await platform.stopPrograms();
    for (const end of ends.splice(0)) await end();
    await platform.services.temporal.stop();
    await platform.services.postgres.stop();
    for (const place of places) {
      if (place.lookAfter === undefined) continue;
      say(`searching: ${place.name}`);
      await place.lookAfter(proof, ledger.look(place.name));
    }
  } catch (error) {
    faults.push(`the drive ended early: ${shown(error, ledger)}`);
  } finally {
    for (const end of ends) await end();
    await stopping.stop();
  }
  const machine = { node: process.version, cores: availableParallelism(), kernel: release() };
  return judge({ started, ended: new Date(), machine, modes: options.modes, notRun, faults, controls, ledger });
}

const anyControl = (place: string): Canary => canary('control', place);

/** Leaks are planted once, in the first mode that runs. */
async function everyMode(
  { modes, drives, places, prepare, say }: ProofOptions,
  proof: Proof,
  controls: ReadonlyMap<Place, Canary>,
): Promise<ProofReport['not_run']> {
  const notRun: { mode: ProofMode; why: string }[] = [];
  let leaked = false;
  for (const mode of modes) {
    const identities = await prepare(mode, proof.platform);
    if (typeof identities === 'string') {
      notRun.push({ mode, why: identities });
      continue;
    }
    for (const drive of drives.filter((one) => one.modes.includes(mode))) {
      say(`${mode}: ${drive.name}`);
      await drive.before?.(proof, mode);
      await proof.platform.start(mode, identities);
      if (!leaked)
        for (const [place, control] of controls) {
          say(`control: ${place.name}`);
          await place.leak(proof, control);
        }
      leaked = true;
      await drive.run(proof, mode);
      for (const place of places) await place.lookAlive?.(proof, proof.ledger.look(place.name));
      await proof.platform.stopPrograms();
    }
  }
  return notRun;
}

/** What an error says, unless a canary is in it. */
function shown(error: unknown, ledger: Ledger): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return ledger.planted().some((one) => text.includes(one.text)) ? 'with a message that holds a canary' : text;
}
