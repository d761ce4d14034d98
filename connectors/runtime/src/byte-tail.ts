/** Keeps the last `limit` bytes of what was pushed; `text` decodes them, a cut character at the front is dropped. */
export function byteTail(limit: number): { push: (chunk: Uint8Array) => void; text: () => string } {
  let kept: Buffer = Buffer.alloc(0);
  let cut = false;
  return {
    push(chunk) {
      const all = Buffer.concat([kept, chunk.subarray(Math.max(0, chunk.byteLength - limit))]);
      cut ||= all.byteLength > limit || chunk.byteLength > limit;
      kept = all.subarray(Math.max(0, all.byteLength - limit));
    },
    text() {
      let start = 0;
      while (cut && start < kept.length && ((kept[start] ?? 0) & 0xc0) === 0x80) start += 1;
      return kept.toString('utf8', start);
    },
  };
}
