import type { FieldFault } from './problem.ts';

/** What is said of a place by the code of its fault, where the table entry of the problem says nothing of its own. */
export const FAULT_SENTENCES: Readonly<Record<string, string>> = {
  ...{ required: 'is required', unknown: 'is not known here', not_found: 'does not exist', taken: 'is taken already' },
  ...{ unknown_field: 'names a field that is not there', unknown_column: 'names a column that is not there' },
  ...{ format: 'does not have the expected form', pattern: 'does not have the expected form' },
  ...{ type: 'has another type than the one that is needed', enum: 'must be one of the known words' },
  ...{ repeated: 'is given twice', reserved: 'is a reserved name', read_only: 'cannot be changed' },
  ...{ stale: 'has changed since it was read', no_body: 'must not be sent: this endpoint takes no body' },
};

/** One thing that is wrong in a call, in a text that was sent by line and column, both counted from 1. */
export interface ShownFault extends FieldFault {
  line?: number;
  column?: number;
  /** The table that is at fault. */
  dataset_id?: string;
  /** The name that may have been meant. */
  nearest?: string;
}

/** Every fault of a problem document: `faults` says more of each of `errors`, in the same order. */
export function shownFaults(document: object): ShownFault[] {
  const { errors = [], faults } = document as { errors?: ShownFault[]; faults?: Partial<ShownFault>[] };
  return errors.map((fault, at) => ({ ...faults?.[at], ...fault }));
}

/** What is wrong, to be read after its place, with the names that it is about; `text` is what was sent. */
export function faultSentence({ known, ...fault }: ShownFault, text?: string): string {
  const { code, message, dataset_id, nearest, line, column } = fault;
  const said = `${message ?? code.replaceAll('_', ' ')}${code === 'enum' && known ? `: ${known.join(', ')}` : ''}`;
  const name = dataset_id ?? (line === undefined || text === undefined ? undefined : nameAt(text, line, column ?? 1));
  const named = name === undefined ? said : `${said}: \`${name}\``;
  return nearest === undefined ? named : `${named}. Did you mean \`${nearest}\`?`;
}

/** The name at a place of a text. */
const nameAt = (text: string, line: number, column: number): string | undefined =>
  /^([\w.]+|"[^"\n]+")/.exec([...(text.split('\n')[line - 1] ?? '')].slice(column - 1).join(''))?.[0];
