const FIRST_BYTES = 4096;

/** Memory that grows as it is filled. */
export type Room = {
  bytes: Buffer;
  view: DataView;
  /** How much of it is filled. */
  end: number;
  /** Makes sure that so many bytes more have a place. */
  readonly reserve: (bytes: number) => void;
  /** Gives what is filled, until something is filled in anew from the start. */
  readonly take: () => Buffer;
};

/** Makes a room that is empty. */
export function room(): Room {
  const first = Buffer.allocUnsafeSlow(FIRST_BYTES);
  const made: Room = {
    bytes: first,
    view: viewOf(first),
    end: 0,
    reserve(more) {
      if (made.end + more <= made.bytes.length) return;
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * made.bytes.length, made.end + more));
      made.bytes.copy(larger, 0, 0, made.end);
      made.bytes = larger;
      made.view = viewOf(larger);
    },
    take() {
      const filled = made.bytes.subarray(0, made.end);
      made.end = 0;
      return filled;
    },
  };
  return made;
}

/** The same bytes, to be read and written as numbers. */
export function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
