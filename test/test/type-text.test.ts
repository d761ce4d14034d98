import { Type } from '@sinclair/typebox';
import { Nullable } from '@weir/kernel/contract';
import t from 'tap';
import { memberLines } from '../docs/reference/type-text.ts';

t.test('a member that may be null → its line says what the value means', async (t) => {
  const Named = Type.Object({ a: Type.String() }, { description: 'has a section of its own' });
  const properties = {
    rows: Nullable(Type.Integer({ description: 'Rows of this run' })),
    either: Type.Union([Type.String({ description: 'one' }), Type.Integer({ description: 'other' })]),
    named: Nullable(Named),
  };
  const names = new Map([[JSON.stringify(Named), 'Named']]);
  t.strictSame(memberLines({ properties, required: Object.keys(properties) }, names, ''), [
    'rows: integer | null  // Rows of this run',
    'either: string | integer',
    'named: Named | null',
  ]);
});
