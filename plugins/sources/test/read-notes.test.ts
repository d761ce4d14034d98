import t from 'tap';
import { keepNotes } from '../src/child/keep-notes.ts';
import { joinedNotes, leavesNothingOut, MAX_LEFT_OUT, NO_NOTES, withNote } from '../src/model/notes/read-notes.ts';

const same = (text: string) => text;

t.test('notes → counted by kind, the first hundred with their words, masked and bounded', async (t) => {
  const mask = (text: string) => text.replaceAll('sesame', '***');
  const note = {
    kind: 'file_left_out',
    count: 1,
    file: 'sesame\u0000.csv',
    code: 'json_invalid',
    message: 'x'.repeat(5_000),
  };
  let notes = NO_NOTES;
  for (let at = 0; at < MAX_LEFT_OUT + 20; at += 1) notes = withNote(notes, note, mask);
  notes = withNote(notes, { kind: 'rows_left_out', count: Number.MAX_SAFE_INTEGER }, mask);
  notes = withNote(notes, { kind: 'rows_left_out', count: 5 }, mask);
  t.equal(notes.filesLeftOut, MAX_LEFT_OUT + 20);
  t.equal(notes.leftOut.length, MAX_LEFT_OUT);
  t.match(notes.leftOut[0], { kind: 'file_left_out', count: 1, file: '***\ufffd.csv', code: 'json_invalid' });
  t.equal(notes.leftOut[0]?.message?.length, 600);
  t.equal(notes.rowsLeftOut, Number.MAX_SAFE_INTEGER, 'what the database can hold');
  t.equal(withNote(notes, { kind: 'of a later release', count: 1 }, mask), notes);
  t.equal(withNote(notes, { kind: 'rows_left_out', count: 0 }, mask), notes);
  t.strictSame(withNote(NO_NOTES, { kind: 'file_read', count: 3 }, mask), { ...NO_NOTES, filesRead: 3 });
  t.match(withNote(NO_NOTES, { kind: 'rows_left_out', count: 3, file: 7 }, mask).leftOut, [{ file: null, code: null }]);
  t.notOk(leavesNothingOut(notes));
  t.ok(leavesNothingOut({ ...NO_NOTES, filesRead: 1 } as never));
});

t.test('a later attempt → files that an earlier one read count once, what is left out is said anew', async (t) => {
  const gone = { kind: 'file_gone' as const, count: 1, file: 'z.csv', code: null, message: null };
  const left = { kind: 'file_left_out' as const, count: 1, file: 'x.csv', code: 'json_invalid', message: null };
  const earlier = {
    ...NO_NOTES,
    filesRead: 2,
    filesUnchanged: 1,
    filesGone: 1,
    filesLeftOut: 1,
    leftOut: [gone, left],
  };
  const now = { ...NO_NOTES, filesRead: 1, filesUnchanged: 3, filesLeftOut: 1, leftOut: [left] };
  t.strictSame(joinedNotes(earlier, now), {
    ...{ filesRead: 3, filesUnchanged: 1, filesLeftOut: 1, filesGone: 1, rowsLeftOut: 0 },
    leftOut: [gone, left],
  });
  t.equal(joinedNotes(earlier, undefined), earlier);
});

t.test('a sealed state covers what was noted before it, and an end what is taken of the stream', async (t) => {
  const read = { kind: 'file_read', count: 1 };
  const keeper = keepNotes(same);
  keeper.mark('a', 'nothing was noted');
  t.equal(keeper.at('a', undefined), undefined);
  keeper.take('a', read);
  keeper.mark('a', 's1');
  keeper.take('a', read);
  keeper.mark('a', 's2');
  keeper.take('a', read);
  t.match(keeper.at('a', 's1'), { filesRead: 1 });
  t.match(keeper.at('a', 's2'), { filesRead: 2 });
  t.equal(keeper.at('a', 's1'), undefined, 'an earlier state is not sealed any more');
  t.match(keeper.at('a', undefined), { filesRead: 3 });
  keeper.cut('a');
  t.match(keeper.at('a', undefined), { filesRead: 2 }, 'rows behind the last state are not taken');
  t.match([...keeper.fresh()], [['a', { filesRead: 3 }]]);
  t.strictSame([...keeper.fresh()], []);
});
