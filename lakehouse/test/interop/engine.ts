import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Condition } from '../../src/index.ts';

/** A table that an engine is asked to read, or to append some of its own rows to. */
export type AskedTable = {
  readonly name: string;
  readonly metadataLocation: string;
  readonly conditions: readonly Condition[];
};
/** Rows by what was asked: `rows`, and the place of each condition. Or the engine's own words why not. */
export type Answer = Readonly<Record<string, readonly unknown[]>> & { readonly error?: string };
export type Engine = {
  readonly name: string;
  /** Types that it reads and cannot compare. */
  readonly incomparable: readonly string[];
  ask(request: {
    readonly append: boolean;
    readonly tables: readonly AskedTable[];
  }): Promise<Readonly<Record<string, Answer>>>;
};
/** Where an engine finds tables beside their metadata files. */
export type Places = {
  readonly namespace: string;
  readonly warehouse: string;
  /** Of the JDBC catalog, as engines want it. */
  readonly catalog: { readonly sqlalchemy: string; readonly jdbc: string };
  /** Of a REST catalog; read anew for each request. */
  readonly rest?: () => string;
};

const HANG_LIMIT_MS = 600_000;
const MAX_ERROR_BYTES = 16 * 1024 * 1024;

/** An engine behind a Python program of this folder, which takes a request in one file and answers in another. */
export function pythonEngine(
  {
    name,
    program,
    python,
    incomparable = [],
  }: { name: string; program: string; python: string; incomparable?: string[] },
  places: Places,
): Engine {
  return {
    name,
    incomparable,
    async ask({ append, tables }) {
      const work = join(tmpdir(), `weir-interop-${randomUUID()}`);
      const [question, answer] = [`${work}.in.json`, `${work}.out.json`];
      const asked = tables.map(({ name: table, metadataLocation, conditions }) => ({
        name: table,
        metadata_location: metadataLocation,
        conditions: conditions.map(({ field, op, text }) => ({ column: field.name, type: field.type, op, text })),
      }));
      const request = { ...places, rest: places.rest?.(), append, tables: asked };
      try {
        await writeFile(question, JSON.stringify(request));
        const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
        const limits = { timeout: HANG_LIMIT_MS, maxBuffer: MAX_ERROR_BYTES, env };
        await promisify(execFile)(python, [join(import.meta.dirname, program), question, answer], limits);
        return JSON.parse(await readFile(answer, 'utf8')) as Record<string, Answer>;
      } finally {
        for (const file of [question, answer]) await rm(file, { force: true });
      }
    },
  };
}
