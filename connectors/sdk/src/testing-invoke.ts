import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Message } from './protocol.ts';

export type RecordLine = {
  type: 'RECORD';
  record: { stream: string; namespace?: string | null; data: object; emitted_at: number };
};
export type Line = Message | RecordLine;
export type Outcome = { code: number | null; lines: Line[]; stderr: string };

export type Invocation = {
  readonly command: readonly [string, ...string[]];
  readonly verb: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly environment?: NodeJS.ProcessEnv;
  /** Sees each line before the next is read. */
  readonly onLine?: (line: Line) => Promise<void>;
};

/**
 * Runs one verb of a connector to its end. Lines that are no JSON are logs, as everywhere in the protocol. When `onLine`
 * throws, the connector is killed, and has ended before the error is passed on.
 */
export async function invoke({ command, verb, inputs, environment = {}, onLine }: Invocation): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'connector-conformance-'));
  const [program, ...leading] = command;
  const flags: string[] = [];
  try {
    for (const [name, value] of Object.entries(inputs)) {
      const file = join(folder, `${name}.json`);
      await writeFile(file, JSON.stringify(value));
      flags.push(`--${name}`, file);
    }
    const env = { ...process.env, ...environment };
    const child = spawn(program, [...leading, verb, ...flags], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const lines: Line[] = [];
    const reading = async () => {
      for await (const said of createInterface({ input: child.stdout })) {
        const line = parseLine(said);
        if (line === undefined) continue;
        lines.push(line);
        await onLine?.(line);
      }
    };
    const exit = once(child, 'exit');
    try {
      const [stderr, [code]] = await Promise.all([text(child.stderr), exit, reading()]);
      return { code: code as number | null, lines, stderr };
    } catch (error) {
      // Nobody reads it any more, and what its caller tidies up it must not still be writing to.
      child.kill('SIGKILL');
      await exit;
      throw error;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A stream's identity as text. */
export function keyOf({ name, namespace }: { readonly name: string; readonly namespace?: string | null }): string {
  return JSON.stringify([namespace ?? '', name]);
}

function parseLine(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}
