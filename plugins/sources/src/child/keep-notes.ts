import { hash } from 'node:crypto';
import type { ReadNotes, SaidNote } from '../model/notes/read-notes.ts';
import { NO_NOTES, withNote } from '../model/notes/read-notes.ts';

/** The notes of an attempt by stream, and those that each state covers. */
export interface NoteKeeper {
  take(key: string, note: SaidNote): void;
  /** A state of the stream covers what was noted before it. */
  mark(key: string, state: string): void;
  /** No more is taken of the stream than up to its last state. */
  cut(key: string): void;
  /** What a sealed segment of the stream covers; undefined where nothing was noted. */
  at(key: string, state: string | undefined): ReadNotes | undefined;
  /** The notes of the streams about which something was noted since this was asked last. */
  fresh(): ReadonlyMap<string, ReadNotes>;
}

interface Kept {
  notes: ReadNotes;
  covered: ReadNotes;
  /** By the digest of the state, which may be large; oldest first, as far as none of them was sealed. */
  marks: Map<string, ReadNotes>;
  isCut: boolean;
}

/** Keeps what a connector notes of its streams. `mask` takes credentials out of its words. */
export function keepNotes(mask: (text: string) => string): NoteKeeper {
  const streams = new Map<string, Kept>();
  let changed = new Set<string>();
  return {
    take(key, note) {
      const kept = streams.get(key) ?? { notes: NO_NOTES, covered: NO_NOTES, marks: new Map(), isCut: false };
      kept.notes = withNote(kept.notes, note, mask);
      streams.set(key, kept);
      changed.add(key);
    },
    mark(key, state) {
      const kept = streams.get(key);
      if (kept === undefined) return;
      kept.covered = kept.notes;
      const digest = hash('sha256', state);
      kept.marks.delete(digest);
      kept.marks.set(digest, kept.notes);
    },
    cut(key) {
      const kept = streams.get(key);
      if (kept !== undefined) kept.isCut = true;
    },
    at(key, state) {
      const kept = streams.get(key);
      if (kept === undefined) return undefined;
      if (state === undefined) return kept.isCut ? kept.covered : kept.notes;
      const digest = hash('sha256', state);
      const found = kept.marks.get(digest);
      for (const earlier of found === undefined ? [] : [...kept.marks.keys()]) {
        kept.marks.delete(earlier);
        if (earlier === digest) break;
      }
      return found;
    },
    fresh() {
      const found = [...changed].flatMap((key) => {
        const kept = streams.get(key);
        return kept === undefined ? [] : [[key, kept.notes] as const];
      });
      changed = new Set();
      return new Map(found);
    },
  };
}
