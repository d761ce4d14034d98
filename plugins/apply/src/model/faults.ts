import { pointerSegments } from '@weir/json-schemas';
import { FAULT_SENTENCES, type FieldFault, faultSentence, Problem } from '@weir/kernel/contract';
import type { ItemFault } from '../contract.ts';

const CONFLICT = 409;

/** A call of the API that was refused to the caller while a plan was made. */
export class ReadRefused extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.name = 'ReadRefused';
    this.code = code;
  }
}

/** What the rules of a kind threw, as faults of its document; anything else is thrown on. */
export function faultsOf(error: unknown): ItemFault[] {
  if (error instanceof ReadRefused) return [{ code: error.code, pointer: '', detail: error.message }];
  if (!(error instanceof Problem)) throw error;
  const { code, status, message, entry, details } = error;
  const conflict = status === CONFLICT ? { conflict: true as const } : {};
  const places: (FieldFault | undefined)[] = details.errors ?? [];
  if (places.length === 0) return [{ code, pointer: '', detail: message, ...conflict }];
  return places.flatMap((place) => {
    if (place === undefined) return [];
    const said = place.message ?? entry.faults?.[place.code] ?? FAULT_SENTENCES[place.code];
    const at = pointerSegments(place.pointer).join('.');
    const sentence = `\`${at === '' ? 'spec' : at}\` ${faultSentence({ ...place, ...(said && { message: said }) })}`;
    return [{ code, pointer: `/spec${place.pointer}`, detail: `${message} ${sentence}.`, ...conflict }];
  });
}
