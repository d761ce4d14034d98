const MAX_BYTES = 200;

/** A file name made of what a caller sent: its last part, and nothing that means something in a path or a glob; '' if nothing is left. */
export function uploadName(given: string): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const plain = last.replace(/[^\p{L}\p{N}\p{M} ._()+=@,&-]/gu, '_').replace(/^[. ]+|[. ]+$/g, '');
  if (!/[\p{L}\p{N}]/u.test(plain)) return '';
  return shortened(plain);
}

/** Keeps the ending, by which the format is known. */
function shortened(name: string): string {
  const ending = /\.[^.]{1,16}(\.(gz|zst))?$/.exec(name)?.[0] ?? '';
  let stem = Array.from(name.slice(0, name.length - ending.length));
  while (new TextEncoder().encode(stem.join('') + ending).length > MAX_BYTES) stem = stem.slice(0, -1);
  return stem.join('') + ending;
}
