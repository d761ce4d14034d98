import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { budgetOf } from './budgets.ts';

const FILE = path.resolve(import.meta.dirname, '../node_modules/.cache/test-cpu.json');

/** CPU-seconds of each test file in its last run on this machine. */
export type CpuHistory = Readonly<Record<string, number>>;

/** Empty when nothing has run yet. */
export function readCpuHistory(): CpuHistory {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as CpuHistory;
  } catch {
    return {};
  }
}

/** Adds what a run has measured. */
export function writeCpuHistory(measured: CpuHistory): void {
  mkdirSync(path.dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify({ ...readCpuHistory(), ...measured }, undefined, 1));
}

/** The files in the order in which they begin: the dearest first, so that none of them is what a run waits for at its end. */
export function inOrder(files: readonly string[], history: CpuHistory): string[] {
  const cost = (file: string) => history[file] ?? budgetOf(file);
  return [...files].sort((a, b) => cost(b) - cost(a) || a.localeCompare(b));
}
