import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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
  close(): Promise<void>;
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

/** Of what a program says before it ends, so much is told. */
const MAX_TOLD = 10_000;

/**
 * Starts an engine behind a Python program of this folder, which answers each line, a request, with a line. It loads its
 * libraries once and opens the tables anew for each request; it ends with this process, as its input does.
 */
export function pythonEngine(
  {
    name,
    program,
    python,
    incomparable = [],
  }: { name: string; program: string; python: string; incomparable?: string[] },
  places: Places,
): Engine {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(python, [join(import.meta.dirname, program)], { env, stdio: 'pipe' });
  const closed = once(child, 'close');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = `${said}${text}`.slice(-MAX_TOLD);
  });
  // That it has ended is told where its answer is waited for.
  child.stdin.on('error', () => undefined);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    name,
    incomparable,
    async ask({ append, tables }) {
      const asked = tables.map(({ name: table, metadataLocation, conditions }) => ({
        name: table,
        metadata_location: metadataLocation,
        conditions: conditions.map(({ field, op, text }) => ({ column: field.name, type: field.type, op, text })),
      }));
      child.stdin.write(`${JSON.stringify({ ...places, rest: places.rest?.(), append, tables: asked })}\n`);
      const { done, value } = await answers.next();
      if (!done) return JSON.parse(value) as Record<string, Answer>;
      await closed;
      throw new Error(`${name} has ended: ${said}`);
    },
    async close() {
      child.stdin.end();
      await closed;
    },
  };
}
